"""Players of reconnaissance blind chess, from random to one that keeps every possible board."""

from sparring.players.rbc.bot import Bot
from sparring.players.rbc.judges import NoStockfish, find_stockfish
from sparring.players.rbc.setting import BOTS, BadBot, BotSetting, choose_bot, make_bot

__all__ = ["BOTS", "BadBot", "Bot", "BotSetting", "NoStockfish", "choose_bot", "find_stockfish", "make_bot"]
