"""What the client does without doing it: no socket, no clock and no thread is touched here.

A flow is a generator that yields effects (send this, wait so long, read on); a driver carries each out, blocking or in
asyncio, and puts the answer into it. One flow so serves both.
"""
