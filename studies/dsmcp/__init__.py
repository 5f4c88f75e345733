"""Experiments of the DSMCP paper on its network: accuracy by headset, saliency and ablation of planes."""
