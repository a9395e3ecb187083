import { defineConfig } from '@playwright/test'

// Run by `npm run docs:pictures`: makes the pictures of the documents from the real app.
export default defineConfig({ testDir: '.', timeout: 180_000, workers: 1, reporter: 'list', use: { trace: 'off' } })
