"""Reading what an agent wrote: free prose into claims, refusals and questions."""
