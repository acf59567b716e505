import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import * as regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      '**/dist',
      'node_modules',
      '.data',
      'coverage',
      'src/core/graphql/playground/app',
      'src/core/rest/openapi/reference/app',
      'test/clients/oazapfts.ts',
      'clients/typescript/src/generated',
      // It has packages of its own.
      'bench/alternatives/nest',
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.mjs', 'scripts/*.mjs', 'clients/*/scripts/*.mjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
      globals: { process: 'readonly', console: 'readonly', fetch: 'readonly', URL: 'readonly' },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-extraneous-class': 'off',
      eqeqeq: ['error', 'smart'],
    },
  },
  {
    // Input decides how long a pattern that backtracks takes.
    files: ['src/**/*.ts', 'clients/*/src/**/*.ts', 'console/src/**/*.{ts,tsx}'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    // Tests read answers as a client does: as JSON whose shape is what they assert.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  { files: ['**/*.mjs'], extends: [tseslint.configs.disableTypeChecked] },
  {
    // Scripts of pages, which browsers run as they are.
    files: ['src/core/rest/pages/*.js', 'src/events/notifications/page/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: { document: 'readonly', location: 'readonly', FormData: 'readonly', addEventListener: 'readonly' },
    },
  },
  prettier,
);
