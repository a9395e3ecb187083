import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'

const mainFolder = join(import.meta.dirname, '../../../src/main')

/** The only files that may expose a secret. Adding one is a security decision. */
const allowedExposingFiles = [
  'app/desktop-app.ts',
  'cli/key.ts',
  'cli/monitoring.ts',
  'cli/register.ts',
  'cli/relay-run.ts',
  'core/vault/keychain.ts',
  'gateway/probe.ts',
  'keys/handout/handouts.ts',
  'keys/handout/imported-keys.ts',
  'keys/handout/kit-encryption.ts',
  'keys/handout/kit.ts',
  'plans/key-clipboard.ts',
  'platform/credentials.ts',
  'relay/metrics/telemetry.ts',
  'relay/ports.ts',
  'relay/routing-table.ts',
  'team/database.ts',
  'tools/mcp-launch.ts',
  'tools/owned-settings.ts',
  'tools/targets/mcp-text.ts',
  'usage/quota/webhook.ts',
]

it('a secret is exposed in these files only', () => {
  const files = readdirSync(mainFolder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const secretExposingFiles = files.filter((name) => readFileSync(join(mainFolder, name), 'utf8').includes('.expose()'))
  expect(
    secretExposingFiles.map((name) => relative(mainFolder, join(mainFolder, name)).replaceAll('\\', '/')).sort(),
  ).toEqual(allowedExposingFiles)
})
