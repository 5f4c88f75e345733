"""Training of evaluations from their own search: RootStrap, TreeStrap and TDLeaf. See docs/treestrap.md."""
