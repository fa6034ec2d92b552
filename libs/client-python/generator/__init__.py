"""Makes the types, operations and errors of the client out of the contract.

Types come from datamodel-code-generator as TypedDicts: 3,300 lines that pyright takes in strict mode, and answers stay
what came over the wire. Operations are written here, because the one well-kept generator that makes both
(openapi-python-client) gives 700 modules with classes of its own, which strict mode refuses, and no lists over pages.
"""
