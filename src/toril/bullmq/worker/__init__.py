"""Work a queue: BullMQ as a source of the engine, and the workers people use."""
