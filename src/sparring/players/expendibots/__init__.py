"""Players of Expendibots: the agent, its predecessors, and what the report's authors knew by hand."""
