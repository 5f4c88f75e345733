#!/usr/bin/env bash
# Makes one of the shipped networks anew: all steps from records and teachers to the ONNX file.
#
#   bash studies/student/reproduce.sh NAME RECORDS NETS OUT
#
# NAME is human-chess, strong-chess, human-dan-go, human-go, strong-go, human-shogi or strong-shogi. RECORDS is a folder with people's
# games (*.pgn.zst, kgs-2001-2018.sgf.zst, fox-9d-2018-2019.sgf.zst, *.hcpe), NETS one with the teachers' files. The
# network is OUT/NAME.onnx. Trainings need a GPU; their seconds are those of an H200. DRY_RUN=1 only prints the commands.
set -euo pipefail
name=$1 records=$2 nets=$3 out=$4
student="python -m studies.student"

run() {
  echo "$*"
  [ -n "${DRY_RUN:-}" ] || "$@"
}

chess_records() {
  run sparring records build "$records"/*.pgn.zst --preset everything --out "$out/all"
}

go_records() {
  run sparring records build "$records/kgs-2001-2018.sgf.zst" --preset go-everything --out "$out/kgs"
  run sparring records build "$records/fox-9d-2018-2019.sgf.zst" --preset go-everything --out "$out/fox"
}

shogi_records() {
  run sparring records build "$records"/*.hcpe --preset shogi-everything --out "$out/shogi"
}

case $name in
  human-chess)
    chess_records
    run sparring models add "$nets/maia3-5m.onnx" --name maia3-5m
    run sparring train student chess --config human-chess --records "$out/all" --minutes 15 --compiled --out "$out/human"
    run cp "$out/human/model.onnx" "$out/human-chess.onnx"
    run $student.set_card "$out/human-chess.onnx" studies/student/human-chess.json
    ;;
  strong-chess) # the shipped human-chess plays beside the teacher
    chess_records
    run sparring models add "$nets/t1-256x10-distilled-swa-2432500.pb.gz" --name t1-256x10
    run sparring train student chess --config strong-chess --records "$out/all" --minutes 13 --compiled --out "$out/strong"
    run cp "$out/strong/model.onnx" "$out/strong-chess.onnx"
    run $student.set_card "$out/strong-chess.onnx" studies/student/strong-chess.json
    ;;
  human-dan-go)
    go_records
    run sparring train people go --config human-go --records "$out/kgs" --records "$out/fox" --out "$out/first"
    run sparring train people go --config human-go-10x128 --init "$out/first/model.onnx" --records "$out/kgs" --records "$out/fox" \
      --minutes 13 --compiled --out "$out/go"
    run cp "$out/go/model.onnx" "$out/human-dan-go.onnx"
    run $student.set_card "$out/human-dan-go.onnx" studies/student/human-dan-go.json
    ;;
  human-go) # after human-dan-go in the same folder
    go_records
    run sparring records build "$records/fox-5k-9d-by-player.sgf.zst" --preset go-everything --out "$out/fox-ranks"
    run sparring models add "$nets/g170e-b15c192-s1672170752-d466197061.bin.gz" --name g170e-b15c192
    run sparring train people go --config human-go-ranks --init "$out/human-dan-go.onnx" --records "$out/fox-ranks" \
      --records "$out/fox" --records "$out/kgs" --minutes 9 --compiled --out "$out/ranks"
    run cp "$out/ranks/model.onnx" "$out/human-go.onnx"
    run $student.set_card "$out/human-go.onnx" studies/student/human-go.json
    ;;
  strong-go) # after human-dan-go in the same folder
    go_records
    run sparring models add "$nets/g170e-b15c192-s1672170752-d466197061.bin.gz" --name g170e-b15c192
    run sparring train people go --config strong-go --init "$out/human-dan-go.onnx" --records "$out/kgs" --records "$out/fox" \
      --minutes 18.5 --compiled --out "$out/strong"
    run cp "$out/strong/model.onnx" "$out/strong-go.onnx"
    run $student.set_card "$out/strong-go.onnx" studies/student/strong-go.json
    ;;
  human-shogi)
    shogi_records
    run sparring train people shogi --config human-shogi --records "$out/shogi" --out "$out/people"
    run cp "$out/people/model.onnx" "$out/human-shogi.onnx"
    run $student.fold_temperature "$out/human-shogi.onnx" 1.92
    run $student.set_card "$out/human-shogi.onnx" studies/student/human-shogi.json
    ;;
  strong-shogi) # engine-games.toml and its games: docs/training.md, "An engine as teacher"
    run sparring records build "$records/engine-games/games.csa" --preset shogi-everything --out "$out/engine"
    run sparring train people shogi --config strong-shogi --records "$out/engine" --out "$out/strong"
    run cp "$out/strong/model.onnx" "$out/strong-shogi.onnx"
    run $student.set_card "$out/strong-shogi.onnx" studies/student/strong-shogi.json
    ;;
  *)
    echo "no such network: $name" >&2
    exit 2
    ;;
esac
