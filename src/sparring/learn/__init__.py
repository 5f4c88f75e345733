"""Learning: policies from people's games."""

from sparring.learn.configuration import BadConfiguration, Configuration, load_configuration

__all__ = ["BadConfiguration", "Configuration", "load_configuration"]
