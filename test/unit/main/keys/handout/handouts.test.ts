import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { register as contract, type HandoutRequest } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it } from 'vitest'
import { type Disk, realDisk } from '../../../../../src/main/core/files/disk'
import type { AuditEvent } from '../../../../../src/main/core/ports'
import { Secret } from '../../../../../src/main/core/secret'
import { Handouts } from '../../../../../src/main/keys/handout/handouts'
import { hashCode, serializeKeyFile } from '../../../../../src/main/keys/handout/kit'
import { Register } from '../../../../../src/main/keys/register/register'
import { expectFailure } from '../../../support/failures'
import { makeFolder } from '../../../support/folders'
import { connectionId, proPlanRef, startHarness, startMachine } from '../../plans/account/account-bench'
import { buildKeyFile, emptyRegister, encryptWithLowCost, keyText as fixtureKey, quickWorkFactor } from './kits'

const personHolder = { kind: 'person', name: 'Nguyễn Văn An' } as const
const createdAt = '2026-05-04T03:02:01.000Z'
const badRecipient = { kind: 'recipient', recipient: 'age1nobody' } as const

type Client = Awaited<ReturnType<typeof startHarness>>['client']
type HandoutParts = ConstructorParameters<typeof Handouts>[0]
type Parts = Pick<HandoutParts, 'settings' | 'vault' | 'plans' | 'account'> & Partial<HandoutParts>

/** Creates the hand-outs of a computer that has only received keys, unless `parts` has a register. */
const createHandouts = (parts: Parts) =>
  new Handouts({
    register: emptyRegister,
    clock: () => new Date(createdAt),
    disk: realDisk,
    sender: () => 'an',
    workFactor: quickWorkFactor,
    audit: { note: async () => undefined },
    ...parts,
  })

/**
 * Wraps a client so that it loses the response of one operation after the server has executed it, and is offline for a
 * while.
 */
function dropResponses(client: Client) {
  const state = { lose: '', isCutOff: false }
  const call: Client['call'] = async (id, ...rest) => {
    if (state.isCutOff) throw new AppError('net.refused', 'off')
    const response = await client.call(id, ...rest)
    if (state.lose !== id) return response
    state.isCutOff = true
    throw new AppError('net.timeout', 'lost')
  }
  const pages: Client['pages'] = (...args) => {
    if (state.isCutOff) throw new AppError('net.refused', 'off')
    return client.pages(...args)
  }
  return { client: { ...client, call, pages }, state }
}

/** Creates a team lead's computer with the sandbox plan `sandbox-pro`, which has 2 of 5 keys. */
async function startLeadComputer(disk: Disk = realDisk) {
  const harness = await startHarness()
  const { client, state } = dropResponses(harness.client)
  const computer = startMachine(client)
  await computer.account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
  const auditEvents: AuditEvent[] = []
  const audit = { note: async (entry: AuditEvent) => void auditEvents.push(entry) }
  const { settings, plans, account, vault } = computer
  const register = new Register({
    settings,
    plans,
    account,
    audit,
    clock: () => new Date(createdAt),
    consoles: () => [connectionId],
    uses: () => [],
    timeoutMs: 2000,
  })
  const openStores = () =>
    createHandouts({ settings, vault, plans, account, register, audit, disk, sender: () => 'lan' })
  const folder = makeFolder()
  const planId = plans.find('sandbox-pro').id
  const keyNames = async () => (await harness.account.keys(proPlanRef)).map(({ name }) => name)
  const buildHandoutRequest = (change: Partial<HandoutRequest> = {}): HandoutRequest => ({
    planId,
    holder: personHolder,
    toolIds: ['opencode'],
    lock: { kind: 'passphrase' as const },
    ...change,
  })
  const file = (name: string) => join(folder, name)
  return {
    ...harness,
    ...computer,
    register,
    noted: auditEvents,
    open: openStores,
    handouts: openStores(),
    folder,
    file,
    planId,
    keyNames,
    wish: buildHandoutRequest,
    state,
  }
}

/** Creates the computer of a recipient of key files. */
async function startReceiver(change: Partial<HandoutParts> = {}) {
  const computer = startMachine((await startHarness()).client)
  const auditEvents: AuditEvent[] = []
  const audit = { note: async (entry: AuditEvent) => void auditEvents.push(entry) }
  const { settings, plans, account, vault } = computer
  const handouts = createHandouts({ settings, vault, plans, account, audit, ...change })
  return { ...computer, noted: auditEvents, handouts }
}

const readFolderText = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')

it('handing over after a rotation creates a kit of each new key for its previous holder and records their confirmation', async () => {
  const lead = await startLeadComputer()
  const { handouts, account, plans, register, planId, folder, keyNames } = lead
  await account.addKey({ ...proPlanRef, name: 'new' })
  const [oldKeyId = '', newKeyId = ''] = plans.find(planId).keys.map(({ id }) => id)
  register.noteHandedOut({ planId, keyId: oldKeyId }, personHolder, 'shop')
  const keys = { planId, oldKey: { id: oldKeyId }, newKey: { id: newKeyId } }
  expect(handouts.listHandovers({ ...keys, newKey: {} })).toEqual([{ holder: personHolder, state: 'open' }])
  register.noteRotated({ planId, oldKeyId, newKeyId })
  expect(handouts.listHandovers(keys)).toEqual([{ holder: personHolder, state: 'open' }])
  const lock = { kind: 'passphrase' as const }
  const handoutRequest = { planId, keyId: newKeyId, holder: personHolder, purpose: 'shop', toolIds: [] }
  const missingKeyRequest = { ...handoutRequest, keyId: 'gone' }
  const results = await handouts.createMany({ items: [missingKeyRequest, handoutRequest], lock }, folder)
  expect(results.map(({ state }) => state)).toEqual(['failed', 'written'])
  expect(await keyNames()).toEqual(['default-key', 'old-laptop', 'new'])
  expect(handouts.listHandovers(keys)).toEqual([{ holder: personHolder, state: 'handedOut' }])
  const { kitId } = await handouts.received.choose(results[1]?.path ?? '')
  const passphrase = handouts.getPassphrase(results[1]?.id ?? '').expose()
  const { acknowledgement } = await handouts.received.open(kitId, passphrase)
  await handouts.acknowledge(acknowledgement)
  expect(handouts.listHandovers(keys)).toEqual([{ holder: personHolder, state: 'confirmed' }])
})

describe('handing out', () => {
  it('creates a key and a kit that the passphrase opens, and records them in the register and the audit trail', async () => {
    const lead = await startLeadComputer()
    const { handouts, account, file, wish, noted: auditNotes } = lead
    const result = contract['handouts.create'].output.parse(
      await handouts.create(wish({ purpose: 'shop' }), file('an.age')),
    )
    expect(result).toMatchObject({
      holder: personHolder,
      keyName: personHolder.name,
      state: 'written',
      hasPassphrase: true,
      path: file('an.age'),
    })
    expect(await lead.keyNames()).toEqual(['default-key', 'old-laptop', personHolder.name])
    expect(statSync(file('an.age')).mode & 0o777).toBe(0o600)
    const { kitId, needs } = await handouts.received.choose(file('an.age'))
    expect(needs).toBe('passphrase')
    const passphrase = handouts.getPassphrase(result.id).expose()
    const content = contract['handouts.openKit'].output.parse(
      await handouts.received.open(kitId, passphrase.replaceAll('-', ' ')),
    )
    expect(content).toMatchObject({
      from: 'lan',
      holder: personHolder,
      purpose: 'shop',
      planName: 'sandbox-pro',
      keyName: personHolder.name,
    })
    expect((await lead.register.list()).find(({ holder }) => holder !== undefined)).toMatchObject({
      holder: personHolder,
      purpose: 'shop',
      handedOutAt: createdAt,
    })
    expect(auditNotes).toEqual([
      { what: 'handedOut', planName: 'sandbox-pro', keyName: personHolder.name, subject: personHolder.name },
    ])
    const storedText = JSON.stringify([lead.settings.read(), auditNotes, result]) + readFolderText(lead.folder)
    const key = (await account.keys(proPlanRef)).find(({ name }) => name === personHolder.name)
    const secret = (await account.readSecret({ ...proPlanRef, keyId: key?.keyId ?? '' })).expose()
    for (const text of [passphrase, secret, content.acknowledgement]) expect(storedText).not.toContain(text)
  })

  it('shows the number of free slots for a new key, or the current holders of an existing one', async () => {
    const { handouts, wish, planId, plans, register } = await startLeadComputer()
    const preview = contract['handouts.preview'].output
    expect(preview.parse(await handouts.preview(wish()))).toEqual({
      alsoServes: [],
      freeSlots: 3,
      makesKey: true,
      keyName: personHolder.name,
    })
    const keyId = plans.find(planId).keys[0]?.id ?? ''
    register.noteHandedOut({ planId, keyId }, { kind: 'person', name: 'Bình' }, undefined)
    expect(preview.parse(await handouts.preview(wish({ keyId })))).toEqual({
      alsoServes: ['Bình'],
      makesKey: false,
      keyName: 'default-key',
    })
  })

  it('hands on the key of a handed-over plan and creates none', async () => {
    const { handouts, file, wish, plans } = await startLeadComputer()
    const plan = { name: 'handed', gatewayUrl: 'https://h.example.com', models: ['m'] }
    const handedOverPlan = await plans.add(plan, new Secret(fixtureKey))
    const planId = handedOverPlan.id
    await expectFailure(handouts.create(wish({ planId }), file('a.age')), 'rotation.notAtAccount')
    const result = await handouts.create(wish({ planId, keyId: handedOverPlan.keys[0]?.id ?? '' }), file('a.age'))
    expect(result.state).toBe('written')
  })

  it('creates a second key when the same person gets one again', async () => {
    const { handouts, file, wish, keyNames } = await startLeadComputer()
    await handouts.create(wish(), file('1.age'))
    expect((await handouts.preview(wish())).keyName).toBe(`${personHolder.name}-2`)
    expect(await handouts.create(wish(), file('2.age'))).toMatchObject({ keyName: `${personHolder.name}-2` })
    expect(await keyNames()).toHaveLength(4)
  })

  it.each([
    ['there is a file already', 'taken.age', { kind: 'passphrase' } as const, 'file.unwritable'],
    ['the recipient is wrong', 'free.age', badRecipient, 'handout.badRecipient'],
  ])('creates nothing when %s', async (_, name, lock, code) => {
    const { handouts, file, wish, keyNames, settings } = await startLeadComputer()
    writeFileSync(file('taken.age'), 'mine')
    await expectFailure(handouts.create(wish({ lock }), file(name)), code)
    expect(await keyNames()).toHaveLength(2)
    expect(settings.read().handouts).toEqual([])
    expect(readFileSync(file('taken.age'), 'utf8')).toBe('mine')
  })

  it('reuses the key of an attempt that could not be written', async () => {
    const { handouts, file, wish, keyNames } = await startLeadComputer()
    await expectFailure(handouts.create(wish(), file('no/folder/a.age')), 'file.unwritable')
    expect(await handouts.preview(wish())).toMatchObject({ makesKey: false, keyName: personHolder.name })
    expect(await handouts.create(wish(), file('a.age'))).toMatchObject({ keyName: personHolder.name, state: 'written' })
    expect(await keyNames()).toHaveLength(3)
  })
})

/** A request for a key and a kit for each of these people. */
const buildBulkRequest = (planId: string, ...names: readonly string[]) => ({
  items: names.map((name) => ({ planId, holder: { kind: 'person' as const, name }, toolIds: [] })),
  lock: { kind: 'passphrase' as const },
})

describe('a lost response', () => {
  it('creates no second key because the name is taken', async () => {
    const { handouts, file, wish, keyNames, state, settings } = await startLeadComputer()
    state.lose = 'console.keys.create'
    await expectFailure(handouts.create(wish(), file('a.age')), 'account.unknownOutcome')
    expect(settings.read().handouts).toMatchObject([{ state: 'making', keyName: personHolder.name }])
    Object.assign(state, { lose: '', isCutOff: false })
    expect(await handouts.create(wish(), file('a.age'))).toMatchObject({ keyName: personHolder.name, state: 'written' })
    expect(await keyNames()).toEqual(['default-key', 'old-laptop', personHolder.name])
  })

  it('is recovered after a restart as well', async () => {
    const { handouts, open, folder, planId, keyNames, state } = await startLeadComputer()
    const bulkRequest = buildBulkRequest(planId, 'An', 'Bình')
    state.lose = 'console.keys.create'
    expect(await handouts.createMany(bulkRequest, folder)).toMatchObject([
      { state: 'failed', failure: { code: 'account.unknownOutcome' } },
      { state: 'failed' },
    ])
    Object.assign(state, { lose: '', isCutOff: false })
    expect(await open().createMany(bulkRequest, folder)).toMatchObject([{ state: 'written' }, { state: 'written' }])
    expect(await keyNames()).toEqual(['default-key', 'old-laptop', 'An', 'Bình'])
  })

  it('saves the key on the next attempt when the keychain rejected it', async () => {
    const { handouts, file, wish, keyNames, keychain, vault } = await startLeadComputer()
    await vault.state()
    keychain.isLocked = true
    await expectFailure(handouts.create(wish(), file('a.age')), 'vault.unavailable')
    keychain.isLocked = false
    expect(await handouts.create(wish(), file('a.age'))).toMatchObject({ keyName: personHolder.name })
    expect(await keyNames()).toHaveLength(3)
  })
})

describe('handing out to many people', () => {
  it('gives each person a key and a kit while slots are free, and reports the others', async () => {
    const { handouts, folder, planId, keyNames, settings } = await startLeadComputer()
    const results = contract['handouts.createMany'].output.parse(
      await handouts.createMany(buildBulkRequest(planId, 'An', 'Bình', 'Chi', 'Dũng', 'Em'), folder),
    )
    expect(results.map(({ state }) => state)).toEqual(['written', 'written', 'written', 'failed', 'failed'])
    expect(results[4]?.failure?.code).toBe('account.keyLimitReached')
    expect(await keyNames()).toEqual(['default-key', 'old-laptop', 'An', 'Bình', 'Chi'])
    expect(settings.read().handouts).toHaveLength(3)
    expect(readdirSync(folder).sort()).toEqual(['An.kit.age', 'Bình.kit.age', 'Chi.kit.age'])
    const passphrases = results.slice(0, 3).map(({ id }) => handouts.getPassphrase(id).expose())
    expect(new Set(passphrases).size).toBe(3)
    const ids = results.slice(0, 3).map(({ id }) => id)
    const passphraseLines = ['An', 'Bình', 'Chi'].map((name, index) => `${name}: ${passphrases[index]}`)
    expect(handouts.passphraseList(ids).expose()).toBe(passphraseLines.join('\n'))
    expect(handouts.passphraseList(ids.slice(0, 1)).expose()).toBe(passphrases[0])
  })

  it('skips finished entries and continues when a slot is free', async () => {
    const { handouts, folder, planId, keyNames, account } = await startLeadComputer()
    const bulkRequest = buildBulkRequest(planId, 'An', 'Bình', 'Chi', 'Dũng')
    const firstResults = await handouts.createMany(bulkRequest, folder)
    const filesBefore = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
    await account.deleteKey({ ...proPlanRef, keyId: 'key-pro-old-laptop' })
    const second = await handouts.createMany(bulkRequest, folder)
    expect(second.map(({ state }) => state)).toEqual(['written', 'written', 'written', 'written'])
    expect(second.slice(0, 3)).toEqual(firstResults.slice(0, 3))
    expect(await keyNames()).toEqual(['default-key', 'An', 'Bình', 'Chi', 'Dũng'])
    for (const [name = '', text] of filesBefore) expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
    expect([filesBefore.length, readdirSync(folder).length]).toEqual([3, 4])
  })

  it('recreates kits whose passphrase was not shown before a restart, with the same keys', async () => {
    const { handouts, open, folder, planId, keyNames } = await startLeadComputer()
    const bulkRequest = buildBulkRequest(planId, 'An', 'Bình')
    const [firstResult] = await handouts.createMany(bulkRequest, folder)
    handouts.getPassphrase(firstResult?.id ?? '')
    const restartedHandouts = open()
    expect(await restartedHandouts.createMany(bulkRequest, folder)).toMatchObject([
      { state: 'written', hasPassphrase: false, path: join(folder, 'An.kit.age') },
      { state: 'written', hasPassphrase: true, path: join(folder, 'Bình.kit-2.age') },
    ])
    expect(() => restartedHandouts.getPassphrase(firstResult?.id ?? '')).toThrow(/passphrase has expired/)
    expect(await keyNames()).toEqual(['default-key', 'old-laptop', 'An', 'Bình'])
  })

  it('creates a new key for a holder whose key was deleted', async () => {
    const { handouts, folder, planId, account } = await startLeadComputer()
    await handouts.createMany(buildBulkRequest(planId, 'An'), folder)
    const keyBefore = (await account.keys(proPlanRef)).find(({ name }) => name === 'An')
    await account.deleteKey({ ...proPlanRef, keyId: keyBefore?.keyId ?? '' })
    expect(await handouts.createMany(buildBulkRequest(planId, 'An'), folder)).toMatchObject([{ state: 'written' }])
    const personKey = (await account.keys(proPlanRef)).find(({ name }) => name === 'An')
    expect(personKey?.keyId).not.toBe(keyBefore?.keyId)
  })

  it('stops at an error that would affect everyone and continues from there', async () => {
    let isDiskFull = true
    const create: Disk['create'] = async (path, mode) => {
      if (isDiskFull && path.includes('Bình')) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      return realDisk.create(path, mode)
    }
    const { handouts, folder, planId, keyNames } = await startLeadComputer({ ...realDisk, create })
    const results = await handouts.createMany(buildBulkRequest(planId, 'An', 'Bình', 'Chi'), folder)
    const codes = results.map(({ state, failure }) => failure?.code ?? state)
    expect(codes).toEqual(['written', 'file.unwritable', 'file.unwritable'])
    expect(await keyNames()).toHaveLength(4)
    isDiskFull = false
    const retriedResults = await handouts.createMany(buildBulkRequest(planId, 'An', 'Bình', 'Chi'), folder)
    expect(retriedResults.map(({ state }) => state)).toEqual(['written', 'written', 'written'])
    expect(await keyNames()).toHaveLength(5)
  })
})

describe('receiving', () => {
  it('shows everything but the key, saves it as a plan and returns the code that confirms the receipt', async () => {
    const lead = await startLeadComputer()
    const { id } = await lead.handouts.create(lead.wish(), lead.file('a.age'))
    const { handouts, plans, keychain, noted: auditNotes } = await startReceiver()
    const { kitId } = await handouts.received.choose(lead.file('a.age'))
    await expectFailure(handouts.received.open(kitId), { field: 'passphrase' })
    await expectFailure(handouts.received.open(kitId, 'wrong'), 'handout.wrongPassphrase')
    await expectFailure(handouts.accept(kitId), 'input.invalid')
    const content = await handouts.received.open(kitId, lead.handouts.getPassphrase(id).expose())
    expect([plans.list(), keychain.items.size]).toEqual([[], 0])
    const acceptedKeyFile = contract['handouts.accept'].output.parse(await handouts.accept(kitId))
    const key = (await lead.account.keys(proPlanRef)).find(({ name }) => name === personHolder.name)
    const secret = (await lead.account.readSecret({ ...proPlanRef, keyId: key?.keyId ?? '' })).expose()
    expect(JSON.stringify([content, acceptedKeyFile, auditNotes])).not.toContain(secret)
    expect([...keychain.items.values()]).toEqual([secret])
    const plan = { name: 'sandbox-pro', source: 'handed-over', gatewayUrl: content.gatewayUrl, models: content.models }
    expect(plans.list()).toMatchObject([
      { id: acceptedKeyFile.planId, ...plan, keys: [{ id: acceptedKeyFile.keyId, name: personHolder.name }] },
    ])
    expect(auditNotes).toMatchObject([{ what: 'received', subject: 'lan' }])

    await expectFailure(lead.handouts.acknowledge('K7QD-9M2X-4RTA'), 'handout.unknownCode')
    const acknowledgement = await lead.handouts.acknowledge((acceptedKeyFile.code ?? '').toLowerCase())
    expect(acknowledgement).toEqual({ holder: personHolder, planName: 'sandbox-pro', keyName: personHolder.name })
    const entry = (await lead.register.list()).find(({ keyName }) => keyName === personHolder.name)
    expect(entry).toMatchObject({ holder: personHolder, acknowledgedAt: createdAt })
  })

  it('asks the team for the code of a key that another lead handed out', async () => {
    const teamAnswer = { holder: personHolder, planName: 'team-pro', keyName: 'ci' }
    const code = 'K7QD-9M2X-4RTA'
    const acknowledgeInTeam = async (hash: string) => (hash === hashCode(code) ? teamAnswer : undefined)
    const lead = await startReceiver({ acknowledgeInTeam })
    expect(await lead.handouts.acknowledge(code.toLowerCase())).toEqual(teamAnswer)
    expect(lead.noted).toMatchObject([{ what: 'acknowledged', keyName: 'ci', subject: personHolder.name }])
    await expectFailure(lead.handouts.acknowledge('K7QD-9M2X-4RTB'), 'handout.unknownCode')
  })

  it('needs no passphrase with its own key pair, which is created once and stored only in the keychain', async () => {
    const lead = await startLeadComputer()
    const { handouts, keychain, settings } = await startReceiver()
    const [{ recipient }, secondResult] = await Promise.all([handouts.ownRecipient(), handouts.ownRecipient()])
    expect(recipient).toMatch(/^age1[a-z0-9]{58}$/)
    expect(secondResult.recipient).toBe(recipient)
    expect([...keychain.items.keys()]).toEqual(['handout:identity'])
    expect(JSON.stringify(settings.read())).not.toMatch(/AGE-SECRET-KEY/i)
    const result = await lead.handouts.create(lead.wish({ lock: { kind: 'recipient', recipient } }), lead.file('a.age'))
    expect(result.hasPassphrase).toBe(false)
    const { kitId, needs } = await handouts.received.choose(lead.file('a.age'))
    expect(needs).toBe('nothing')
    expect(await handouts.received.open(kitId)).toMatchObject({ holder: personHolder })
    const otherReceiver = await startReceiver()
    const otherReceiverKeyFile = await otherReceiver.handouts.received.choose(lead.file('a.age'))
    expect(otherReceiverKeyFile.needs).toBe('anotherKey')
    await expectFailure(otherReceiver.handouts.received.open(otherReceiverKeyFile.kitId), 'handout.otherRecipient')
  })

  /** Writes a key file with the passphrase `p` and returns its path. */
  const writeKeyFile = async (change: Parameters<typeof buildKeyFile>[0] = {}, key = fixtureKey) => {
    const secret = new Secret(key)
    const text = serializeKeyFile({ ...buildKeyFile({ ...change, maskedKey: secret.masked }), key: secret })
    const path = join(makeFolder(), 'kit.age')
    writeFileSync(path, await encryptWithLowCost(text, 'p'))
    return path
  }

  it('saves the same kit once, and a second key of the same plan next to the first', async () => {
    const { handouts, plans } = await startReceiver()
    const acceptKeyFile = async (...file: Parameters<typeof writeKeyFile>) => {
      const { kitId } = await handouts.received.choose(await writeKeyFile(...file))
      await handouts.received.open(kitId, 'p')
      return handouts.accept(kitId)
    }
    const firstKey = await acceptKeyFile()
    expect(await acceptKeyFile()).toEqual(firstKey)
    const second = await acceptKeyFile({}, 'sk-another-0123456789abcdef')
    expect(second.planId).toBe(firstKey.planId)
    expect(plans.list()).toMatchObject([
      { name: 'team', keys: [{ id: firstKey.keyId }, { id: second.keyId, name: `${personHolder.name}-2` }] },
    ])
    const gatewayUrl = 'https://other.example.com'
    const { planId } = await acceptKeyFile({ gatewayUrl })
    expect(plans.view(planId)).toMatchObject({ name: 'team-2', gatewayUrl })
    const third = await acceptKeyFile({ planName: 'Gói của nhóm', gatewayUrl: 'https://third.example.com' })
    expect(plans.view(third.planId).name).toBe('G-i-c-a-nh-m')
  })

  it('saves nothing without a keychain', async () => {
    const { handouts, plans, keychain, vault } = await startReceiver()
    await vault.state()
    const { kitId } = await handouts.received.choose(await writeKeyFile())
    await handouts.received.open(kitId, 'p')
    keychain.isLocked = true
    await expectFailure(handouts.accept(kitId), 'vault.unavailable')
    expect(plans.list()).toEqual([])
    keychain.isLocked = false
    expect((await handouts.accept(kitId)).planId).toBe(plans.list()[0]?.id)
  })

  it.each([
    ['there is no file', () => undefined, 'file.unreadable'],
    ['it is far too long', (path: string) => writeFileSync(path, Buffer.alloc(300_000, 'a')), 'handout.unreadable'],
    ['it is another file', (path: string) => writeFileSync(path, '{}'), 'handout.unreadable'],
  ])('is refused when %s', async (_, prepareFile, code) => {
    const { handouts } = await startReceiver()
    const path = join(makeFolder(), 'x')
    prepareFile(path)
    await expectFailure(handouts.received.choose(path), code)
  })

  it('drops a kit that is no longer needed', async () => {
    const { handouts } = await startReceiver()
    const path = await writeKeyFile()
    const { kitId: firstKitId } = await handouts.received.choose(path)
    for (let index = 0; index < 10; index += 1) await handouts.received.choose(path)
    await expectFailure(handouts.received.open(firstKitId, 'p'), 'input.invalid')
  })
})
