"""One operation, one `.py` beside one `.lua`, in a folder named by the moment of a job's life."""
