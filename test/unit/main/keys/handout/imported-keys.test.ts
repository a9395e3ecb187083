import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyFileContent } from '@shared/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { realDisk } from '../../../../../src/main/core/files/disk'
import { Secret } from '../../../../../src/main/core/secret'
import { Handouts } from '../../../../../src/main/keys/handout/handouts'
import { ImportedKeys } from '../../../../../src/main/keys/handout/imported-keys'
import { serializeKeyFile } from '../../../../../src/main/keys/handout/kit'
import { KeySwitch } from '../../../../../src/main/keys/rotation/key-switch'
import { sendChatRequest } from '../../../../support/control'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memoryStore } from '../../../../support/memory-settings'
import { createRoutes } from '../../../../support/routes'
import { expectFailure } from '../../../support/failures'
import { makeFolder } from '../../../support/folders'
import {
  claude,
  configureTool,
  openCode,
  readToolKey,
  type StoredState,
  settingsFile,
  startHarness,
} from '../rotation/harness'
import { openMachine, proPlanRef } from '../rotation/machine'
import { content, emptyRegister, encryptWithLowCost } from './kits'

/** Creates the computer of a holder who has received key files and configured tools. */
async function startHolder(tools: readonly (typeof claude | typeof openCode)[] = [claude, openCode]) {
  const leadHarness = await startHarness([])
  const { account } = leadHarness.open()
  const folder = makeFolder()
  for (const name of ['home', 'data']) mkdirSync(join(folder, name))
  const storedState: StoredState = { settings: {}, keychain: new MemoryKeychain() }
  const { ready } = leadHarness.sandbox
  const computer = openMachine({ ready, folder, store: memoryStore(storedState), keychain: storedState.keychain })
  onTestFinished(() => computer.abandon())
  const { settings, plans, vault, check } = computer
  const importState = { folder, project: folder, kept: storedState }
  const log = { info: () => {}, error: () => {} }
  const keySwitch = new KeySwitch({
    settings,
    plans,
    tools: computer.tools,
    check,
    log,
    relay: createRoutes({ settings, vault }),
  })
  const handouts = new Handouts({
    settings,
    plans,
    vault,
    account,
    register: emptyRegister,
    disk: realDisk,
    keySwitch,
    audit: { note: async () => {} },
    clock: () => new Date(),
    sender: () => 'an',
  })
  const { gatewayUrl } = ready
  const createAccountKey = async (name: string) => {
    const { keyId } = await account.addKey({ ...proPlanRef, name })
    return { keyId, secret: (await account.readSecret({ ...proPlanRef, keyId })).expose() }
  }
  /** Imports a key file, which is newer than the one of `withOldKey` by default. */
  const importKey = async (name: string, change: Partial<KeyFileContent> = {}) => {
    const { keyId, secret } = await createAccountKey(name)
    const path = join(importState.folder, `${name}.age`)
    const key = new Secret(secret)
    const ids = { accountId: 'acc-1', planId: proPlanRef.planId, keyId }
    const keyOverrides = {
      gatewayUrl,
      models: ['aurora-large'],
      keyName: name,
      ids,
      version: 2 as const,
      createdAt: '2026-02-01T00:00:00.000Z',
      maskedKey: key.masked,
    }
    writeFileSync(
      path,
      await encryptWithLowCost(serializeKeyFile({ content: { ...content, ...keyOverrides, ...change }, key }), 'p'),
    )
    const { kitId } = await handouts.received.choose(path)
    await handouts.received.open(kitId, 'p')
    return { keyId, secret, imported: await handouts.accept(kitId), importAgain: () => handouts.accept(kitId) }
  }
  return { ...computer, account, harness: importState, handouts, keySwitch, importKey, gatewayUrl, wanted: tools }
}

type Holder = Awaited<ReturnType<typeof startHolder>>

/** Imports a first key file and configures the holder's tools with its key. */
async function withOldKey(holder: Holder, change: Partial<KeyFileContent> = {}) {
  const firstKey = await holder.importKey('first', { createdAt: '2026-01-01T00:00:00.000Z', ...change })
  const { planId, keyId } = firstKey.imported
  for (const tool of holder.wanted) {
    await configureTool(holder, { ...tool, planId, keyId })
  }
  return firstKey
}

const listToolKeys = ({ harness: bench, wanted }: Holder): string[] => wanted.map((tool) => readToolKey(bench, tool))

it('a key file without tools here shows its code immediately until it is sent', async () => {
  const holder = await startHolder()
  const { imported } = await holder.importKey('first')
  expect(imported).toMatchObject({ tools: [], code: content.acknowledgement, from: 'lan' })
  expect(await holder.handouts.imported.list()).toEqual([imported])
  holder.handouts.imported.markCodeSent(imported)
  expect(await holder.handouts.imported.list()).toEqual([])
})

describe('a newer key for a known plan and holder', () => {
  it.each([
    ['with ids, whatever the plan is called now', { planName: 'renamed' }],
    ['without ids, as earlier versions wrote them', { ids: undefined, version: 1 as const }],
  ])('switches and tests the tools before it shows the code (%s)', async (_, change) => {
    const holder = await startHolder()
    const isOld = 'version' in change
    const firstKey = await withOldKey(holder, isOld ? change : {})
    const secondKey = await holder.importKey('second', change)
    const { imported } = secondKey
    expect(imported.planId).toBe(firstKey.imported.planId)
    expect(imported.tools.map(({ toolName }) => toolName)).toEqual(['Claude Code', 'OpenCode'])
    expect(imported.oldKeyNames).toEqual(['first'])
    expect(imported.code).toBeUndefined()
    expect(listToolKeys(holder)).toEqual([firstKey.secret, firstKey.secret])

    const previews = await holder.handouts.imported.previewSwitch(imported)
    expect(previews.map(({ toolId, change: diff }) => [toolId, (diff?.files.length ?? 0) > 0])).toEqual([
      ['claude-code', true],
      ['opencode', true],
    ])
    expect(JSON.stringify(previews)).not.toContain(secondKey.secret)
    const { results, imported: importedAfter } = await holder.handouts.imported.switchTools(imported)
    expect(results.map(({ toolId, state }) => [toolId, state])).toEqual([
      ['claude-code', 'verified'],
      ['opencode', 'verified'],
    ])
    expect(importedAfter).toMatchObject({ code: content.acknowledgement, tools: [] })
    expect(await holder.handouts.imported.list()).toEqual([importedAfter])
    expect(listToolKeys(holder)).toEqual([secondKey.secret, secondKey.secret])
  })

  it('shows the code and the tools that will stop when the user skips the switch', async () => {
    const holder = await startHolder()
    const firstKey = await withOldKey(holder)
    const { imported } = await holder.importKey('second')
    const skippedSwitch = await holder.handouts.imported.skipSwitch(imported)
    expect(skippedSwitch.code).toBe(content.acknowledgement)
    expect(skippedSwitch.tools).toHaveLength(2)
    expect(listToolKeys(holder)).toEqual([firstKey.secret, firstKey.secret])
  })

  it('tests again before it shows the code when the process ended before it recorded the tests', async () => {
    const holder = await startHolder()
    await withOldKey(holder)
    const { imported, secret, importAgain } = await holder.importKey('second')
    const { settings, plans, keySwitch } = holder
    await new Promise<void>((end) => {
      const endAfterTests: KeySwitch['switchTools'] = async (replacement) => {
        await keySwitch.switchTools(replacement)
        end()
        return new Promise(() => {})
      }
      const findTools: KeySwitch['findTools'] = (planId, keyIds) => keySwitch.findTools(planId, keyIds)
      const endingSwitch = { findTools, preview: async () => [], switchTools: endAfterTests }
      void new ImportedKeys({ settings, plans, keySwitch: endingSwitch }).switchTools(imported)
    })
    expect(listToolKeys(holder)).toEqual([secret, secret])
    await importAgain()
    expect(await holder.handouts.imported.find(imported)).toMatchObject({ tools: [], hasFailed: true })
    const { results, imported: importedAfter } = await holder.handouts.imported.switchTools(imported)
    expect(results.map(({ state }) => state)).toEqual(['verified', 'verified'])
    expect(importedAfter.code).toBe(content.acknowledgement)
  })

  it('switches nothing when the gateway rejects the new key', async () => {
    const holder = await startHolder()
    const firstKey = await withOldKey(holder)
    const { imported, keyId } = await holder.importKey('second')
    await holder.account.setKeyStatus({ ...proPlanRef, keyId, status: 'DISABLED' })
    await expectFailure(holder.handouts.imported.switchTools(imported), 'gateway.keyRejected')
    expect(listToolKeys(holder)).toEqual([firstKey.secret, firstKey.secret])
    expect(await holder.handouts.imported.find(imported)).not.toHaveProperty('code')
  })

  it('withholds the code while a tool was modified outside the app, and shows it once that is fixed', async () => {
    const holder = await startHolder()
    await withOldKey(holder)
    const path = settingsFile(holder.harness, claude)
    const textBefore = readFileSync(path, 'utf8')
    writeFileSync(path, textBefore.replace('"ANTHROPIC_MODEL": "aurora-large"', '"ANTHROPIC_MODEL": "other"'))
    const { imported, secret } = await holder.importKey('second')
    const failedSwitch = await holder.handouts.imported.switchTools(imported)
    expect(failedSwitch.results.map(({ toolId, failure }) => [toolId, failure?.code])).toEqual([
      ['claude-code', 'file.changed'],
      ['opencode', undefined],
    ])
    expect(failedSwitch.imported.code).toBeUndefined()
    writeFileSync(path, textBefore)
    const { imported: importedAfter } = await holder.handouts.imported.switchTools(imported)
    expect(importedAfter.code).toBe(content.acknowledgement)
    expect(listToolKeys(holder)).toEqual([secret, secret])
  })
})

it.each([
  ['of another holder', { holder: { kind: 'tool' as const, name: 'ci' } }],
  ['that is older', { createdAt: '2025-12-01T00:00:00.000Z' }],
  ['of another plan of that name', { ids: { accountId: 'acc-1', planId: 'other-plan', keyId: 'k-other' } }],
  ['of another account', { ids: { accountId: 'acc-2', planId: proPlanRef.planId, keyId: 'k-other' } }],
])('a key that does not replace another leaves the tools unchanged (%s)', async (_, change) => {
  const holder = await startHolder([claude])
  const firstKey = await withOldKey(holder)
  const { imported } = await holder.importKey('second', change)
  expect(imported).toMatchObject({ tools: [], code: content.acknowledgement })
  expect(listToolKeys(holder)).toEqual([firstKey.secret])
  expect(await sendChatRequest(holder.gatewayUrl, firstKey.secret)).toBe(200)
})
