import { defineConfig } from '@playwright/test'

// Configuration of `npm run docs:pictures`, which takes the documents' pictures from the real app.
export default defineConfig({ testDir: '.', timeout: 180_000, workers: 1, reporter: 'list', use: { trace: 'off' } })
