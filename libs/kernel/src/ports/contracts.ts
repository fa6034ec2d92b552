// Each port's whole test suite as one exported function; adapters' contract specs call them. Only test code imports this file.
export {};
