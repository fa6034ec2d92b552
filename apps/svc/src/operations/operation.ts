/** One operation of the contract as the command line reaches it. */
export type Operation = {
  id: string;
  /** Group and verb, `sessions list`. Two operations may share them if they take different numbers of arguments. */
  words: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  description?: string;
  /** Members of the path, in their order. */
  args: readonly string[];
  query: readonly OperationOption[];
  headers: readonly OperationOption[];
  body?: 'json' | 'multipart';
  bodyRequired?: boolean;
  answer: 'json' | 'text' | 'bytes' | 'stream' | 'socket' | 'redirect' | 'none';
  /** There for a list: how its next page is asked for, null where all comes at once. */
  pages?: Pages | null;
  /** Asks before it is done. */
  destroys?: boolean;
  /** In the contract, and not served yet. */
  unserved?: boolean;
  example: string;
};

export type OperationOption = {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'object';
  choices?: readonly string[];
  required?: boolean;
  about: string;
};

/** The member of a page that names the next one, and where it is sent. */
export type Pages = { from: 'next_cursor' | 'next_sequence'; to: string; in: 'query' | 'body' };
