"""Exchange classes, labels and answers with FiftyOne and Label Studio, in their files; neither has to be installed."""

from unseen.data.exchange.labelling import Labelling, read_labelling
from unseen.data.exchange.labelling_config import LabellingConfig, read_labelling_config

__all__ = ["Labelling", "LabellingConfig", "read_labelling", "read_labelling_config"]
