#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "heed/model/predictor.h"
#include "heed/train/trainer.h"

namespace heed {

// How good a model is on examples with answers; by default with all candidates that its measures
// want.
std::unique_ptr<Measures> measure(const Predictor& predictor, const Examples& examples,
                                  const Dataset& data, std::optional<Index> top = {});

// The mean loss of the answers, as training has it (label smoothing and class weights included), a
// wide part's scores added. The same whatever the number of workers.
double mean_loss(const Model& model, const Examples& examples, Workers& workers);

// How the parts of a wide part beside labels count (WideNetwork::balance), and how much its scores
// count beside those of the network, or the mean of an ensemble's: twice what best_weight() says.
void weigh_wide(Model& model, const Examples& examples, Workers& workers);

// What the output learns from held-out data when the weights are final.
void calibrate(Model& model, const Predictor& predictor, const Examples& examples,
               const Dataset& data);

// The measure called `select`, in small letters with - for spaces ("macro-f1"), or whose name ends
// so ("f1"); the first where it is empty or "loss". A UsageError lists those that there are.
NamedScore selected_score(const Measures& measures, const std::string& select);

// HeldOut::tolerance: half a standard error of an accuracy of so many answers, 0 of other scores.
double as_good_as(const NamedScore& score, const Dataset& data);

// The evaluations of a run as a picture, an SVG. A perplexity or an error rate is drawn as what
// becomes more when it falls.
std::string curve_of(std::span<const Evaluation> evaluations, const std::string& title);

}  // namespace heed
