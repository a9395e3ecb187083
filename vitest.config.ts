import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const alias = { '@shared': resolve(import.meta.dirname, 'src/shared') }

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/unit/{main,shared,sandbox,preload,scripts}/**/*.test.ts'],
        },
      },
      {
        resolve: { alias },
        test: { name: 'window', environment: 'happy-dom', include: ['test/unit/renderer/**/*.test.{ts,tsx}'] },
      },
    ],
  },
})
