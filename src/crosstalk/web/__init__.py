"""The website: a thin FastAPI shell and a store around hearts that know nothing of HTTP."""
