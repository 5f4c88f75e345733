"""Routes of the Turing game."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from sparring.server.refusal import REFUSALS
from sparring.server.requests import Host, Visitor
from sparring.server.turing_messages import (
    TuringAnswer,
    TuringOffer,
    TuringRequest,
    TuringRound,
    TuringVerdict,
)
from sparring.server.turing_rounds import TuringRounds

router = APIRouter(prefix="/api/turing", tags=["turing"], responses=REFUSALS)


def get_rounds(request: Request) -> TuringRounds:
    """The rounds of the application."""
    rounds: TuringRounds = request.app.state.turing
    return rounds


Rounds = Annotated[TuringRounds, Depends(get_rounds)]


@router.get("")
async def turing_offer(host: Host, visitor: Visitor, rounds: Rounds) -> TuringOffer:
    """Games that can be judged, and the visitor's score."""
    return await host.run(rounds.offer, visitor)


@router.post("/rounds", status_code=201)
async def begin_round(wanted: TuringRequest, host: Host, visitor: Visitor, rounds: Rounds) -> TuringRound:
    """Begins a round."""
    return await host.run(rounds.begin, visitor, wanted)


@router.get("/rounds/{round_id}")
async def get_round(round_id: str, host: Host, visitor: Visitor, rounds: Rounds) -> TuringRound:
    """A round without a verdict, again."""
    return await host.run(rounds.round, visitor, round_id)


@router.post("/rounds/{round_id}/answer")
async def answer_round(
    round_id: str, given: TuringAnswer, host: Host, visitor: Visitor, rounds: Rounds
) -> TuringVerdict:
    """Gives a verdict, which counts once, and tells who played."""
    return await host.run(rounds.answer, visitor, round_id, given)
