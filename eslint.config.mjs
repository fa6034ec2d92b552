import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const belowCompositions = ['type:kernel', 'type:contract', 'type:platform', 'type:context', 'type:adapter'];

/** What may import what: apps -> contexts -> platform -> kernel; adapters -> kernel (docs/ARCHITECTURE.md). */
const boundaries = [
  { sourceTag: 'type:kernel', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:contract', onlyDependOnLibsWithTags: ['type:kernel'] },
  { sourceTag: 'type:adapter', onlyDependOnLibsWithTags: ['type:kernel', 'type:adapter'] },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:kernel', 'type:contract', 'type:adapter'] },
  { sourceTag: 'type:context', onlyDependOnLibsWithTags: belowCompositions },
  { sourceTag: 'type:composition', onlyDependOnLibsWithTags: [...belowCompositions, 'type:composition'] },
  { sourceTag: 'type:client', onlyDependOnLibsWithTags: [] },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: [...belowCompositions, 'type:composition', 'type:app', 'type:client'],
  },
];

/** Folders of objects of which each turn, session that is followed, or call makes its own (ADR 56). */
const shortLivedFolders = [
  'libs/sessions/src/{live,running,calls}/**/*.ts',
  'libs/streams/src/{feed,frames}/**/*.ts',
  'libs/composition/src/measured-models.ts',
  'libs/adapters/models/src/{ai-model-provider,scripted-model}.ts',
];

const ownMessageOf = {
  selector:
    "ConditionalExpression[test.operator='instanceof'][test.right.name='Error'][consequent.property.name='message'][alternate.callee.name='String']",
  message: 'messageOf(error) of the kernel gives this.',
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', 'tools/runtime/**', 'libs/{contract,client}/src/openapi.d.ts'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allow: [],
          checkDynamicDependenciesExceptions: ['.*'],
          depConstraints: boundaries,
        },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { arguments: false, attributes: false } },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-imports': [
        'error',
        {
          paths: ['ip', 'ssrfcheck', 'private-ip', 'nossrf'].map((name) => ({
            name,
            message: 'It lets private addresses through: libs/adapters/egress judges addresses.',
          })),
        },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Addresses that users give are reached through the Egress port only.' },
      ],
    },
  },
  {
    // A worker's thread loads as little as it can, client and console have no kernel, and the kernel's own file says it.
    files: ['{apps,libs}/**/*.ts'],
    ignores: ['**/*.worker.ts', 'libs/kernel/src/message-of.ts', 'libs/client/**', 'apps/console/**'],
    rules: { 'no-restricted-syntax': ['error', ownMessageOf] },
  },
  {
    files: shortLivedFolders,
    ignores: ['**/*.spec.ts', '**/testing/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ownMessageOf,
        {
          selector: [
            'PropertyDefinition > :matches(ArrowFunctionExpression, FunctionExpression).value',
            "AssignmentExpression[left.type='MemberExpression'] > :matches(ArrowFunctionExpression, FunctionExpression).right",
          ].join(', '),
          message: 'It would be made in the old generation, with all that it reaches: youngFunction(...) (ADR 56).',
        },
        {
          selector: 'ObjectExpression > Property[kind=/^[gs]et$/]',
          message:
            'Each such object has a shape of its own, which is old and keeps what the accessor reaches (ADR 66).',
        },
      ],
    },
  },
  {
    // The page of a key: text from the service stays text, and its policy refuses what makes script of it.
    files: ['apps/console/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: ['@radix-ui/react-select', '@radix-ui/react-scroll-area', 'codemirror'].map((name) => ({
            name,
            message: 'apps/console/README.md: it sets innerHTML, or is another version than it says.',
          })),
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "JSXAttribute[name.name='dangerouslySetInnerHTML'], MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)$/]",
          message: 'Text from the service is shown as text.',
        },
        {
          selector:
            "MemberExpression[object.name='localStorage'], MemberExpression[object.name='document'][property.name='cookie']",
          message: 'The key and what it read end with the tab.',
        },
      ],
    },
  },
  {
    // READ_MAX is readMax here. A single capital letter may name a set in a formula.
    files: ['**/*.{ts,tsx,mjs,cjs}'],
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'variable',
          modifiers: ['const'],
          format: null,
          custom: { regex: '^[A-Z][A-Z0-9_]+$', match: false },
        },
      ],
    },
  },
  {
    // Plain browser scripts of one page: what one declares another uses.
    files: ['**/*.page.js'],
    rules: { '@typescript-eslint/no-unused-vars': 'off' },
  },
  {
    files: [
      'tests/**/*.ts',
      '**/*.spec.ts',
      '**/*.contract.ts',
      'libs/adapters/models/**/*.ts',
      'libs/adapters/s3/**/*.ts',
      'libs/client/**/*.ts',
      'apps/console/**/*.{ts,tsx}',
      'apps/svc/src/connection/probe.ts',
      'apps/svc/src/tails/forward-events.ts',
      '**/testing/**/*.ts',
    ],
    rules: { 'no-restricted-globals': 'off' },
  },
);
