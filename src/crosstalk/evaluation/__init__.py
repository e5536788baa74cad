"""Judgement: metrics are pure functions; runs and corpora are judged as often as one likes."""
