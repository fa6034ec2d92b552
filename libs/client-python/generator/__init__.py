"""Makes the types, operations and errors of the client out of the contract."""
