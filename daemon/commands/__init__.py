"""One module a command, each with attach(parser) and run(args)."""
