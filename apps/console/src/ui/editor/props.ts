export interface CodeEditorProps {
  label: string;
  hint?: string;
  language: 'json' | 'yaml' | 'markdown';
  value: string;
  onChange?: (value: string) => void;
  readOnly?: boolean;
  /** Name of a schema of the contract that a JSON or YAML text is checked by, such as `SkillRequest`. */
  schema?: string;
  /** Told how many faults the text has, whenever that changes. */
  onFaults?: (count: number) => void;
  /** Heights in lines. */
  minLines?: number;
  maxLines?: number;
}
