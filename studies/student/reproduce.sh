#!/usr/bin/env bash
# Makes one of the shipped networks anew: all steps from records and teachers to the ONNX file.
#
#   bash studies/student/reproduce.sh NAME RECORDS NETS OUT
#
# NAME is human-chess, strong-chess, human-go, strong-go, human-shogi or strong-shogi. RECORDS is a folder with people's
# games (*.pgn.zst, kgs-2001-2018.sgf.zst, fox-9d-2018-2019.sgf.zst, *.hcpe), NETS one with the teachers' files. The
# network is OUT/NAME.onnx. Trainings need a GPU; their seconds are those of an H200. DRY_RUN=1 only prints the commands.
set -euo pipefail
name=$1 records=$2 nets=$3 out=$4
student="python -m studies.student"

run() {
  echo "$*"
  [ -n "${DRY_RUN:-}" ] || "$@"
}

chess_data() {
  run sparring records build "$records"/*.pgn.zst --preset everything --out "$out/all"
  run mkdir -p "$out/data"
  run $student.pack_games "$out/all" "$out/data/games.xz"
  run bash studies/student/build_pool.sh "$out/data/libpool.so"
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
    chess_data
    run $student.maia3_weights "$nets/maia3-5m.onnx" "$out/data/maia3.npz"
    run $student.train --data "$out/data" --out "$out" --name a --seconds 800 --fresh 0.75 --people 0.1 --random-ratings 0.2 \
      --rate 2e-3 --finish 0.2 --finish-fresh 0.25 --finish-people 0.4 --bits8 finish --points 12
    run $student.train --data "$out/data" --out "$out" --name a2 --init "$out/a.pt" --seconds 95 --fresh 0.25 --people 0.5 \
      --random-ratings 0 --rate 4e-4 --warm 0.03 --flat 0.05 --bits8 start --points 4
    run cp "$out/a2.pt" "$out/data/human.pt" # strong-chess plays with it
    run $student.export "$out/a2.pt" "$out/human-chess.onnx" --card studies/student/human-chess.json
    ;;
  strong-chess) # after human-chess in the same folder
    run $student.t1_weights "$nets/t1-256x10-distilled-swa-2432500.pb.gz" "$out/data/t1.xz"
    run $student.train --data "$out/data" --out "$out" --name strong --teacher t1.xz --player human.pt --conditioned 0 \
      --seconds 753 --fresh 0.75 --people 0 --random-ratings 0 --random-moves 0.06 --value-weight 1 --result-weight 0 \
      --rate 2e-3 --finish 0.2 --finish-fresh 0.75 --finish-people 0 --bits8 finish --points 10
    run $student.export "$out/strong.pt" "$out/strong-chess.onnx" --card studies/student/strong-chess.json
    ;;
  human-go)
    go_records
    run sparring train people go --config human-go --records "$out/kgs" --records "$out/fox" --out "$out/first"
    run $student.train_go --config studies/student/human-go.toml --init "$out/first/model.onnx" --records "$out/kgs" \
      --records "$out/fox" --seconds 780 --compiled --out "$out/go"
    run cp "$out/go/model.onnx" "$out/human-go.onnx"
    run $student.set_card "$out/human-go.onnx" studies/student/human-go.json
    ;;
  strong-go) # after human-go in the same folder
    go_records
    run sparring models add "$nets/g170e-b15c192-s1672170752-d466197061.bin.gz" --name g170e-b15c192
    run $student.train_go --config studies/student/strong-go.toml --init "$out/human-go.onnx" --records "$out/kgs" \
      --records "$out/fox" --seconds 690 --compiled --out "$out/strong"
    run $student.train_go --config studies/student/strong-go.toml --init "$out/strong/model.onnx" --records "$out/kgs" \
      --records "$out/fox" --seconds 420 --compiled --out "$out/strong2"
    run cp "$out/strong2/model.onnx" "$out/strong-go.onnx"
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
