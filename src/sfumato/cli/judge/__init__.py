"""Commands that judge a release."""
