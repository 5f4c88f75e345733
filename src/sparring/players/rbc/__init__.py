"""Bots: players of reconnaissance blind chess, from random moves to tracking of all possible boards."""

from sparring.players.rbc.config import BOTS, BadBotConfig, BotConfig, load_bot_config, make_bot
from sparring.players.rbc.evaluators import StockfishNotFound, find_stockfish

__all__ = [
    "BOTS",
    "BadBotConfig",
    "BotConfig",
    "StockfishNotFound",
    "find_stockfish",
    "load_bot_config",
    "make_bot",
]
