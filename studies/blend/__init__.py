"""The experiments of the blend paper (Ogawa, Hsueh and Ikeda, 2024) in chess, Go and shogi."""
