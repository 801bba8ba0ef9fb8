"""The web application of a study: pages for participants and for researchers."""
