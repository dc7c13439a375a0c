"""The MCP surface: a thin view and a stdio loop over one dispatcher that knows no transport."""
