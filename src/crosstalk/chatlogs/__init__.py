"""Raw chat logs of many people become conversations of a few."""
