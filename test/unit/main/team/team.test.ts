import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import type { RotationRecord } from '../../../../src/main/core/settings/records'
import type { AccountKey } from '../../../../src/main/keys/rotation/ports'
import { invitationText } from '../../../../src/main/team/address'
import { encodeSecret } from '../../../../src/main/team/database'
import { AppError } from '../../../../src/shared/failure'
import { startPostgres, type TestPostgres, toPassword, withoutPostgres } from '../../../support/postgres'
import { expectFailure } from '../../support/failures'
import { type CliHarness, createHarness } from '../cli/desk'
import { createAuthority } from '../core/net/test-authority'
import { createSpace, createTeamAddress, createTeamComputer, joinSpace, type TeamComputer, toSecret } from './team-desk'

/** Creates a computer that closes at the end of the test. */
function startComputer(): TeamComputer {
  const computer = createTeamComputer()
  onTestFinished(computer.end)
  return computer
}

async function startCli(): Promise<CliHarness> {
  const harness = await createHarness({})
  onTestFinished(harness.close)
  return harness
}

/** Names that must work unchanged, including attempts at SQL injection. */
const names = [
  `Robert'); DROP TABLE companion_team.people;--`,
  `"; DROP SCHEMA companion_team CASCADE; --`,
  `$$; SELECT pg_sleep(10); $$`,
  `\\'; COPY people TO PROGRAM 'true'; --`,
  '{"kind":"person"}',
  '{1,2,NULL}',
  '%I %L %s $1 :name',
  'Nguyễn Thị Ánh 🌱',
]

describe.skipIf(withoutPostgres !== undefined)(
  `a team space in PostgreSQL${withoutPostgres ? ` (skipped: ${withoutPostgres})` : ''}`,
  () => {
    let postgres: TestPostgres
    let database: string
    const [authority, stranger] = [createAuthority(['DNS:localhost']), createAuthority(['DNS:localhost'])]
    const [anna, bao, chi] = [createTeamComputer(), createTeamComputer(), createTeamComputer()]

    /** Runs statements with a user's own credentials, bypassing the app. */
    async function queryAs(
      user: string,
      text: string,
      values: unknown[] = [],
      databaseName = database,
    ): Promise<Record<string, unknown>[]> {
      const client = new pg.Client({ ...createTeamAddress(postgres, databaseName, user), password: toPassword(user) })
      await client.connect()
      try {
        return (await client.query(text, values)).rows
      } finally {
        await client.end()
      }
    }

    const sync = async (...computers: readonly TeamComputer[]): Promise<void> => {
      for (const computer of computers) await computer.team.sync()
    }

    const expectDenied = (user: string, text: string): Promise<void> =>
      expect(queryAs(user, text), text).rejects.toMatchObject({ code: '42501' })

    const view = async (computer: TeamComputer) => {
      const teamView = await computer.team.get()
      if (teamView.state !== 'joined') throw new Error('not joined')
      return teamView
    }

    const createLease = async (computer: TeamComputer) => (await computer.team.open()).lease

    const findUses = async (computer: TeamComputer, key: AccountKey) =>
      (await computer.team.open()).computers.findUses(key)

    beforeAll(async () => {
      postgres = await startPostgres({ tls: authority.identity, certified: ['minh'] })
      database = await postgres.database(['anna', 'bao', 'chi', 'duc', 'nobody'])
      anna.note('before', { purpose: 'Noted before the team' })
      await createSpace(anna, postgres, database, 'anna')
      await joinSpace(anna, bao, { personName: 'Bao', user: 'bao' })
      await joinSpace(anna, chi, { personName: 'Chi', user: 'chi' })
    }, 60_000)

    afterAll(async () => {
      for (const computer of [anna, bao, chi]) await computer.end()
      await postgres?.end()
      for (const certificateAuthority of [authority, stranger]) certificateAuthority.remove()
    })

    it('is created by one lead and joined by others', async () => {
      await anna.team.sync()
      const people = [{ name: 'Anna', isMe: true }, { name: 'Bao' }, { name: 'Chi' }]
      expect(await view(anna)).toMatchObject({ isOnline: true, people })
      expect((await view(chi)).people[2]).toMatchObject({ name: 'Chi', machines: [{ isHere: true }] })
    })

    it('starts with the records of the lead who created it', async () => {
      expect(bao.noted('before')).toMatchObject({ keyName: 'key before', purpose: 'Noted before the team' })
    })

    it('accepts no second space, no second team and no user without an invitation', async () => {
      const otherComputer = startComputer()
      const address = createTeamAddress(postgres, database, 'anna')
      const spaceInput = { spaceName: 'Second', personName: 'Eve', address }
      await expectFailure(otherComputer.team.create(spaceInput, toSecret('anna')), 'team.spaceExists')
      const invitation = await anna.team.invite({ personName: 'Duc', user: 'duc' })
      const outsiderInvitation = { ...invitation, user: 'nobody' }
      await expectFailure(otherComputer.team.join(outsiderInvitation, toSecret('nobody')), 'team.notInvited')
      await expectFailure(otherComputer.team.join(invitation, toSecret('anna')), 'team.rejected')
      const otherInvitation = { ...invitation, spaceId: '00000000-0000-4000-8000-000000000000' }
      await expectFailure(otherComputer.team.join(otherInvitation, toSecret('duc')), 'team.noSpace')
      expect([await otherComputer.team.get(), [...otherComputer.keychain.items]]).toEqual([{ state: 'none' }, []])
      await expectFailure(anna.team.join(invitation, toSecret('duc')), 'team.alreadyJoined')
      await expectFailure(anna.team.invite({ personName: 'Eve', user: 'eve' }), 'team.noUser')
    })

    it('sends key records to the other leads', async () => {
      const holder = { kind: 'person', name: 'Chi' } as const
      anna.note('k1', { holder, purpose: 'CI', handedOutAt: '2026-11-01T00:00:00.000Z' })
      anna.note('k2', { holder: { kind: 'person', name: 'Duc' } })
      await sync(anna, bao)
      expect(bao.noted('k1')).toMatchObject({ holder: { name: 'Chi' }, purpose: 'CI', planName: 'team-pro' })
      bao.note('k1', { acknowledgedAt: '2026-11-02T00:00:00.000Z' })
      await sync(bao, anna)
      expect(anna.noted('k1')).toMatchObject({ acknowledgedAt: '2026-11-02T00:00:00.000Z', purpose: 'CI' })
    })

    it('syncs again after the current sync, once, for calls that came meanwhile', async () => {
      const runningSync = anna.team.sync()
      await Promise.resolve()
      const views = await Promise.all([runningSync, anna.team.sync(), anna.team.sync()])
      const times = views.map((result) => (result.state === 'joined' ? result.syncedAt : undefined))
      expect(times[1]).not.toBe(times[0])
      expect(times[2]).toBe(times[1])
    })

    it('keeps the id of a renamed holder on every computer', async () => {
      anna.note('k-renamed', { holder: { kind: 'person', name: 'Tu' } })
      await sync(anna, bao)
      anna.note('k-renamed', { holder: { id: 'person:tu', kind: 'person', name: 'Tu Anh' } })
      await sync(anna, bao)
      expect(bao.noted('k-renamed')?.holder).toEqual({ id: 'person:tu', kind: 'person', name: 'Tu Anh' })
      bao.note('k-renamed', { purpose: 'CI' })
      await sync(bao, anna)
      expect(anna.noted('k-renamed')).toMatchObject({ holder: { id: 'person:tu', name: 'Tu Anh' }, purpose: 'CI' })
    })

    it('merges independent changes, and shows both versions of a conflict', async () => {
      await sync(anna, bao)
      anna.note('k2', { purpose: 'staging' })
      bao.note('k2', { machine: 'build-1', endsAt: '2027-01-31T23:59:59.999Z' })
      await sync(anna, bao, anna)
      const merged = { purpose: 'staging', machine: 'build-1', endsAt: '2027-01-31T23:59:59.999Z' }
      expect(anna.noted('k2')).toMatchObject(merged)
      expect(bao.noted('k2')).toMatchObject(merged)

      anna.note('k2', { holder: { kind: 'person', name: 'Giang' } })
      bao.note('k2', { holder: { kind: 'person', name: 'Hoa' }, purpose: 'load tests' })
      await anna.team.sync()
      expect(await bao.team.sync()).toMatchObject({ conflicts: [{ keyName: 'key k2' }] })
      expect(bao.noted('k2')).toMatchObject({ holder: { name: 'Giang' }, purpose: 'load tests' })
      await anna.team.sync()
      const [conflict] = (await view(anna)).conflicts
      expect(conflict).toMatchObject({ ownBy: 'Bao', own: { holder: { name: 'Hoa' } } })
      expect(conflict).toMatchObject({ sharedBy: 'Anna', shared: { holder: { name: 'Giang' } } })
      await anna.team.resolve(conflict?.id ?? '', 'own')
      await bao.team.sync()
      expect((await view(bao)).conflicts).toEqual([])
      for (const computer of [anna, bao])
        expect(computer.noted('k2')).toMatchObject({ holder: { name: 'Hoa' }, purpose: 'load tests' })
    })

    it('removes a record for everybody when the key has no holder', async () => {
      anna.note('gone', { holder: { kind: 'person', name: 'Ivy' } })
      await sync(anna, bao)
      expect(bao.noted('gone')).toMatchObject({ holder: { name: 'Ivy' } })
      bao.note('gone', { holder: undefined })
      await sync(bao, anna)
      expect(anna.noted('gone')?.holder).toBeUndefined()
    })

    it('accepts the confirmation code of a key that the other lead handed out', async () => {
      const [hash, holder] = ['ab'.repeat(32), { kind: 'person', name: 'Chi' } as const]
      const origin = { connectionId: anna.connectionId, planId: 'plan-1' }
      const plan = { id: 'local', name: 'team-pro', source: 'console', origin, gatewayUrl: 'https://g' } as const
      const handedOutKey = { isOwnKey: true, keyName: 'key h', accountKeyId: 'h' }
      const handout = { id: 'h1', planId: 'local', holder, ...handedOutKey, codeHash: hash } as const
      anna.settings.update(() => ({
        plans: [{ ...plan, models: [], contextTokens: 1, createdAt: '', keys: [] }],
        handouts: [{ ...handout, state: 'written', at: '' }],
      }))
      anna.note('h', { holder, handedOutAt: '2026-11-01T00:00:00.000Z' })
      await sync(anna, bao)
      expect(await bao.team.acknowledge('cd'.repeat(32))).toBeUndefined()
      expect(await bao.team.acknowledge(hash)).toEqual({ holder, planName: 'team-pro', keyName: 'key h' })
      const acknowledgedAt = bao.noted('h')?.acknowledgedAt
      expect(acknowledgedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
      await anna.team.sync()
      expect(anna.noted('h')).toMatchObject({ holder, acknowledgedAt: acknowledgedAt })
      expect(anna.settings.read().handouts).toMatchObject([{ acknowledgedAt: acknowledgedAt }])
      anna.note('h', { holder: undefined, handedOutAt: undefined, acknowledgedAt: undefined })
      await sync(anna, bao)
    })

    it('works without the database and sends everything afterwards, once', async () => {
      await postgres.stop('immediate')
      anna.note('k3', { holder: { kind: 'tool', name: 'ci' } })
      await anna.audit.note({ what: 'registerChanged', planName: 'team-pro', keyName: 'key k3', subject: 'ci' })
      await expectFailure(anna.team.sync(), 'team.unreachable')
      const failure = { code: 'team.unreachable' }
      expect(await view(anna)).toMatchObject({ isOnline: false, failure, waiting: { notes: 1 } })
      await postgres.start()
      expect(await anna.team.sync()).toMatchObject({ waiting: { notes: 0, lines: 0 } })
      expect(await view(anna)).toMatchObject({ isOnline: true, waiting: { notes: 0, lines: 0 } })
    })

    it('chains the trails of all computers, and detects a changed line', async () => {
      for (const computer of [anna, bao]) {
        for (const keyName of ['a', 'b'])
          await computer.audit.note({ what: 'handedOut', planName: 'team-pro', keyName, subject: `it's "${keyName}"` })
      }
      await Promise.all([anna.team.sync(), bao.team.sync()])
      const verify = async (computer: TeamComputer) => (await computer.team.open()).audit.verify()
      expect(await verify(anna)).toEqual({ isWhole: true, count: 5 })
      const change = `UPDATE companion_team.audit SET subject = 'x'`
      for (const user of ['bao', 'anna']) await expectDenied(user, change)
      await expectDenied('bao', 'DELETE FROM companion_team.audit')
      await queryAs('anna', `ALTER TABLE companion_team.audit DISABLE TRIGGER keep; ${change} WHERE number = 3`)
      expect(await verify(bao)).toMatchObject({ isWhole: false, brokenAt: 3, reason: 'changed' })
    })

    it('lets one computer rotate a key, shows the other who, and lets it continue once the key is free', async () => {
      const [annaLease, baoLease] = [await createLease(anna), await createLease(bao)]
      const ownRotation = rotation(anna, 'k1', 'k1-new')
      const remoteRotation = rotation(bao, 'k1', 'k1-other')
      const newKey = { name: 'k1-new', keyId: 'made-1' }
      await annaLease.take(ownRotation)
      const heldBy = (name: string) => ({ message: expect.stringContaining(name) })
      await expectFailure(baoLease.take(remoteRotation), 'rotation.heldElsewhere', heldBy('Anna'))
      await expectFailure(baoLease.findRotation(ownRotation.id), 'rotation.heldElsewhere')
      await annaLease.keep({ ...ownRotation, newKey })
      await annaLease.leave({ ...ownRotation, newKey, state: 'stopped' })
      await expect(baoLease.take(remoteRotation)).rejects.toMatchObject({ failure: heldBy('take-over') })
      const sharedRotation = await baoLease.findRotation(ownRotation.id)
      expect(sharedRotation).toMatchObject({ id: ownRotation.id, oldKeyId: 'k1', newKey })
      const conflictingRotation = { ...remoteRotation, id: ownRotation.id, newKey: sharedRotation.newKey }
      await baoLease.take(conflictingRotation)
      await expectFailure(annaLease.take(ownRotation), 'rotation.heldElsewhere', heldBy('Bao'))
      await baoLease.leave({ ...conflictingRotation, state: 'done' })
      await bao.team.sync()
      expect((await view(bao)).rotations).toEqual([])
    })

    it('stops a computer whose lease another one took', async () => {
      const [annaLease, baoLease] = [await createLease(anna), await createLease(bao)]
      const record = rotation(anna, 'k9', 'k9-new')
      await annaLease.take(record)
      const endLease = `UPDATE companion_team.rotations SET lease_until = now() - interval '1 s' WHERE id = $1`
      await postgres.query(database, endLease, [record.id])
      await baoLease.take({ ...record, origin: { connectionId: bao.connectionId, planId: 'plan-1' } })
      await expectFailure(annaLease.keep(record), 'rotation.heldElsewhere')
      await baoLease.leave({ ...record, state: 'undone' })
    })

    it('keeps the secret of another process that joins right after the team is left', async () => {
      const computer = startComputer()
      await createSpace(computer, postgres, await postgres.database(['quick']), 'quick')
      const { team } = computer.settings.read()
      const secret = [...computer.keychain.items]
      const unsubscribe = computer.settings.onChange(() => {
        unsubscribe()
        for (const [account, text] of secret) computer.keychain.items.set(account, text)
        computer.settings.update(() => ({ team }))
      })
      await computer.team.leave()
      await computer.team.sync()
      expect(await view(computer)).toMatchObject({ isOnline: true })
      computer.keychain.items.clear()
      await computer.team.end()
      await expectFailure(computer.team.sync(), 'team.passwordMissing')
    })

    it('can be left even if the keychain does not delete the secret', async () => {
      const computer = startComputer()
      await createSpace(computer, postgres, await postgres.database(['stuck']), 'stuck')
      computer.keychain.remove = () => Promise.reject(new Error('locked'))
      await expect(computer.team.leave()).rejects.toThrow()
      expect(await computer.team.get()).toEqual({ state: 'none' })
    })

    it('accepts every name as text', async () => {
      const nameEverything = (name: string) => ({
        holder: { kind: 'person', name } as const,
        purpose: name,
        machine: name,
        planName: name,
        alsoServes: [name],
      })
      for (const [index, name] of names.entries()) {
        anna.note(`n${index}`, { ...nameEverything(name), keyName: name })
        await anna.audit.note({ what: 'registerChanged', planName: name, keyName: name, subject: name })
      }
      await sync(anna, bao)
      for (const [index, name] of names.entries()) expect(bao.noted(`n${index}`)).toMatchObject(nameEverything(name))
      const users = names.map((name, index) => `u${index} ${name}`.slice(0, 40))
      await postgres.database(users)
      for (const [index, name] of names.entries())
        await anna.team.invite({ personName: name, user: users[index] ?? '' })
      await anna.team.sync()
      expect((await view(anna)).people.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
    })

    it('receives changes within two seconds, and again after a database outage', async () => {
      bao.team.follow()
      await expect.poll(async () => (await view(bao)).isOnline).toBe(true)
      const noteAndSync = async (purpose: string): Promise<void> => {
        anna.note('k1', { purpose })
        await anna.team.sync()
        await expect.poll(() => bao.noted('k1')?.purpose, { timeout: 2_000, interval: 20 }).toBe(purpose)
      }
      await noteAndSync('heard')
      await postgres.stop('immediate')
      await expect.poll(async () => (await view(bao)).isOnline).toBe(false)
      await postgres.start()
      await expect.poll(async () => (await view(bao)).isOnline).toBe(true)
      await noteAndSync('heard again')
    })

    it('requires a trusted certificate for a remote connection or a configured one', async () => {
      const otherComputer = startComputer()
      const name = await postgres.database(['tls'])
      const address = { ...createTeamAddress(postgres, name, 'tls'), host: 'localhost', ca: authority.identity.cert }
      const spaceInput = { spaceName: 'Safe', personName: 'Eve', address }
      const wrongCaInput = { ...spaceInput, address: { ...address, ca: stranger.identity.cert } }
      await expectFailure(otherComputer.team.create(wrongCaInput, toSecret('tls')), 'team.tls')
      const otherName = { ...spaceInput, address: { ...address, host: '127.0.0.1' } }
      await expectFailure(otherComputer.team.create(otherName, toSecret('tls')), 'team.tls')
      await otherComputer.team.create(spaceInput, toSecret('tls'))
      expect(await view(otherComputer)).toMatchObject({
        isOnline: true,
        isEncrypted: true,
        fingerprint: expect.stringMatching(/^[0-9A-F:]{95}$/),
      })
    })

    it('is joined with a client certificate of the same user and authority only', async () => {
      const name = await postgres.database(['tls', 'minh'])
      const [owner, otherDesk] = [startComputer(), startComputer()]
      const address = { ...createTeamAddress(postgres, name, 'tls'), host: 'localhost', ca: authority.identity.cert }
      await owner.team.create({ spaceName: 'Keys', personName: 'Eve', address }, toSecret('tls'))
      const invitation = await owner.team.invite({ personName: 'Minh', user: 'minh' })
      const joinWithCertificate = async ({ certFile, keyFile }: { certFile: string; keyFile: string }) =>
        otherDesk.team.join(
          invitation,
          new Secret(readFileSync(keyFile, 'utf8'), 'text'),
          readFileSync(certFile, 'utf8'),
        )
      await expectFailure(otherDesk.team.join(invitation, toSecret('minh')), 'team.rejected')
      await expectFailure(joinWithCertificate(authority.issue('somebody')), 'team.rejected')
      await expect(joinWithCertificate(stranger.issue('minh'))).rejects.toMatchObject({
        failure: { code: expect.stringMatching(/^team\.(tls|rejected)$/) },
      })
      expect([await otherDesk.team.get(), [...otherDesk.keychain.items]]).toEqual([{ state: 'none' }, []])

      const files = authority.issue('minh')
      const harness = await startCli()
      const file = join(harness.folder, 'invitation.json')
      writeFileSync(file, invitationText(invitation))
      const signIn = ['--client-certificate', files.certFile, '--client-key', files.keyFile]
      const joinRun = await harness.run(['--json', 'team', 'join', file, ...signIn])
      expect(JSON.parse(joinRun.out)).toMatchObject({ spaceName: 'Keys', personName: 'Minh', isOnline: true })
      const key = readFileSync(files.keyFile, 'utf8').split('\n')[1] ?? ''
      expect(JSON.stringify([joinRun, await harness.run(['--json', 'team', 'status'])])).not.toContain(key)
    })

    it('works in the command line, which never prints a password or takes one as an argument', async () => {
      const name = await postgres.database(['lead', 'second'])
      const [lead, member] = [await startCli(), await startCli()]
      const create = (user: string) =>
        `team create postgres://${user}@127.0.0.1:${postgres.port}/${name} --name Line --person Lan`
      const withPassword = await lead.run(`${create('lead:hunter2')} --password-stdin`, toPassword('lead'))
      expect(withPassword).toMatchObject({ failure: { code: 'input.invalid', field: 'address' } })
      expect(JSON.stringify(withPassword)).not.toContain('hunter2')
      expect(await lead.run(create('lead'))).toMatchObject({ failure: { code: 'input.invalid' } })
      expect(await lead.run('--json team status')).toMatchObject({ out: '{"state":"none"}\n' })
      const createTeamRun = await lead.run(`${create('lead')} --password-stdin`, `${toPassword('lead')}\n`)
      expect(createTeamRun.out).toContain('You       Lan on')
      const inviteRun = await lead.run('team invite Minh --user second')
      expect(JSON.parse(inviteRun.out)).toMatchObject({ person: 'Minh', user: 'second', host: '127.0.0.1' })
      const file = join(member.folder, 'invitation.json')
      writeFileSync(file, inviteRun.out)
      const joinRun = await member.run(`--json team join ${file} --password-stdin`, toPassword('second'))
      expect(JSON.parse(joinRun.out)).toMatchObject({ spaceName: 'Line', isOnline: true })
      expect(JSON.parse((await member.run('--json team push')).out)).toMatchObject({ isOnline: true })
      expect((await lead.run('team status')).out).toContain('Minh')
      expect((await member.run('team leave')).failure).toMatchObject({ code: 'input.invalid', field: 'yes' })
      await member.run('team leave --yes')
      expect((await member.run('team status')).out).toBe('Not in a lead space.\n')
      const outputs = [createTeamRun, inviteRun, joinRun].map(({ out, err }) => out + err)
      expect(outputs.join()).not.toContain(toPassword('lead'))
    })

    it('publishes the keys that tools use, and switches to the new key of another computer’s rotation', async () => {
      const key = { connectionId: bao.connectionId, planId: 'plan-1', keyId: 'used' }
      bao.uses.push({ ...key, toolName: 'Claude Code' }, { ...key, toolName: 'OpenCode' })
      await bao.team.sync()
      const annaKey = { ...key, connectionId: anna.connectionId }
      expect(await findUses(anna, annaKey)).toMatchObject([
        { person: 'Bao', osUser: 'tester', toolNames: ['Claude Code', 'OpenCode'], publishedAt: expect.any(String) },
      ])
      expect(await findUses(bao, key)).toEqual([])
      const [{ uid } = {}] = await queryAs(
        'bao',
        `SELECT uid FROM companion_team.machines WHERE person = companion_team.me()`,
      )
      for (const uses of ['{}', '[1]', '[{"tools":1}]'])
        await expect(
          queryAs('bao', `SELECT companion_team.publish_uses('${uid}', '', '${uses}')`),
        ).rejects.toMatchObject({ code: expect.stringMatching(/^22/) })

      const findRotation = async (computer: TeamComputer) => {
        const shared = (await view(computer)).rotations.find(({ id }) => id === record.id)
        return shared && { keyName: shared.keyName, personName: shared.personName, switchHere: shared.switchHere }
      }
      const record = rotation(anna, 'used', 'used-new')
      const lease = await createLease(anna)
      await lease.take(record)
      const recordWithKey = { ...record, newKey: { name: 'used-new', keyId: 'made-2' } }
      await lease.keep(recordWithKey)
      await bao.team.sync({ switchesKeys: true })
      expect([bao.asked, await findRotation(bao)]).toEqual([[], { keyName: 'key used', personName: 'Anna' }])

      await lease.keep({ ...recordWithKey, steps: [{ id: 'repoint', state: 'pending' }] })
      await bao.team.sync()
      expect(await findRotation(bao)).toEqual({ keyName: 'key used', personName: 'Anna', switchHere: {} })
      await anna.team.sync()
      expect(await findRotation(anna)).toEqual({ keyName: 'key used', personName: 'Anna' })
      bao.follow = () => Promise.reject(new AppError('rotation.keyByHand', 'Put the new key there.'))
      await bao.team.sync({ switchesKeys: true })
      expect(await findRotation(bao)).toMatchObject({ switchHere: { failure: { code: 'rotation.keyByHand' } } })
      expect(await findUses(anna, annaKey)).toMatchObject([{ person: 'Bao', failedAt: expect.any(String) }])

      bao.follow = async () => void bao.uses.splice(0)
      await bao.team.sync({ switchesKeys: true })
      expect(await findUses(anna, annaKey)).toEqual([])
      expect(bao.asked.at(-1)).toEqual({ oldKey: key, newKeyId: 'made-2', rotationId: record.id })
      expect(await findRotation(bao)).toEqual({ keyName: 'key used', personName: 'Anna' })
      await lease.leave({ ...recordWithKey, state: 'done' })
    })

    it('saves a changed password after the database accepted it', async () => {
      const name = await postgres.database(['changed'])
      const computer = startComputer()
      await createSpace(computer, postgres, name, 'changed')
      await postgres.query('postgres', "ALTER ROLE changed PASSWORD 'another'")
      const endConnections = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'changed'"
      await postgres.query('postgres', endConnections)
      // The first syncs fail because their connection was ended.
      const failingSync = () => computer.team.sync().catch((error: unknown) => error)
      await expect.poll(failingSync).toMatchObject({ failure: { code: 'team.rejected' } })
      const itemsBefore = [...computer.keychain.items]
      await expectFailure(computer.team.changeSignIn(new Secret('wrong', 'text')), 'team.rejected')
      expect([...computer.keychain.items]).toEqual(itemsBefore)
      expect(await computer.team.changeSignIn(new Secret('another', 'text'))).toMatchObject({ isOnline: true })
      computer.keychain.items.clear()
      await computer.team.end()
      await expectFailure(computer.team.sync(), 'team.passwordMissing')
      expect(await computer.team.changeSignIn(new Secret('another', 'text'))).toMatchObject({ isOnline: true })
    })

    it('is deleted by its owner for everyone', async () => {
      const name = await postgres.database(['maker', 'guest'])
      const [maker, guest] = [startComputer(), startComputer()]
      await createSpace(maker, postgres, name, 'maker')
      await joinSpace(maker, guest, { personName: 'Guest', user: 'guest' })
      await expectFailure(guest.team.delete(), 'team.notAllowed', { message: expect.stringContaining('maker') })
      expect(await maker.team.delete()).toEqual({ state: 'none' })
      const schemaCountSql = `SELECT (SELECT count(*)::int FROM pg_namespace WHERE nspname = 'companion_team') AS schemas`
      expect(await postgres.query(name, schemaCountSql)).toEqual([{ schemas: 0 }])
      await expectFailure(guest.team.sync(), 'team.noSpace')
      expect(await guest.team.leave()).toEqual({ state: 'none' })
      await createSpace(maker, postgres, name, 'maker')
    })

    /** Creates a space of an older version, and the settings of its owner's computer. */
    async function restoreSpace(version: 4 | 6) {
      const [owner, otherDesk] = [startComputer(), startComputer()]
      const [user, lead] = [`owner${version}`, `lead${version}`]
      const spaceId = `0b1f7e7${version}-5f5f-4a2e-9a53-0f3a52c34d11`
      const machineUid = '11111111-1111-4111-8111-111111111111'
      const name = await postgres.database([user, lead, `member${version}`])
      const address = createTeamAddress(postgres, name, user)
      const files = version === 4 ? ['team-space-4.sql'] : ['team-space-4.sql', 'team-space-6.sql']
      const fixtures = join(import.meta.dirname, '../../../fixtures')
      const sql = files.map((file) => readFileSync(join(fixtures, file), 'utf8')).join('')
      // Roles are global to the server, so each version has its own.
      await queryAs(user, sql.replaceAll(/(owner|lead|member|0b1f7e7)4/g, `$1${version}`), [], name)
      // Settings in the format of the older app.
      const record = { personName: 'Owner', role: 'lead', machineName: 'desk', kept: 'keychain', joinedAt: '' } as const
      owner.settings.update(() => ({ team: { ...record, spaceId, spaceName: 'Old', address, machineUid } }))
      owner.keychain.items.set(`team:${spaceId}`, encodeSecret(toSecret(user)).expose())
      const kind = { kind: 'companion-team-invitation', version: 1, role: 'lead' } as const
      const invitation = { ...kind, spaceId, spaceName: 'Old', person: 'Lan', ...address, user: lead }
      return { name, owner, otherDesk, joinOther: () => otherDesk.team.join(invitation, toSecret(lead)) }
    }

    it('upgrades a space of version 4 on its owner’s request, and keeps shared records', async () => {
      const { name, owner, otherDesk, joinOther } = await restoreSpace(4)
      await expectFailure(joinOther(), 'team.older')
      await expectFailure(owner.team.sync(), 'team.older')
      const countSql = 'SELECT count(*)::int AS n FROM companion_team.budgets'
      expect(await queryAs('owner4', countSql, [], name)).toEqual([{ n: 1 }])

      expect(await owner.team.upgrade()).toMatchObject({ isOnline: true, people: [{ name: 'Lan' }, { name: 'Owner' }] })
      expect(owner.noted('old')).toMatchObject({ holder: { name: 'Chi' } })
      const expectRefused = (user: string, table: string, code: string) =>
        expect(queryAs(user, `SELECT FROM companion_team.${table}`, [], name)).rejects.toMatchObject({ code })
      for (const table of ['budgets', 'usage_hours', 'usage_sums', 'dimensions'])
        await expectRefused('owner4', table, '42P01')
      await expectRefused('member4', 'space', '42501')
      await joinOther()
      await expectFailure(otherDesk.team.upgrade(), 'team.notAllowed')
    })

    it('upgrades a lead space of version 6, and keeps all its records', async () => {
      const { owner, otherDesk, joinOther } = await restoreSpace(6)
      await expectFailure(owner.team.sync(), 'team.older')
      const rotations = [{ keyName: 'key old', newKeyName: 'new', isHere: true }]
      expect(await owner.team.upgrade()).toMatchObject({ isOnline: true, rotations })
      const holder = { id: 'person:chi', kind: 'person', name: 'Chi' }
      const note = { purpose: 'CI 2', alsoServes: ['Duc'], handedOutAt: '2026-11-01T00:00:00.000Z' }
      expect(owner.noted('old')).toMatchObject({ ...note, planName: 'team-pro', keyName: 'key old', holder })
      const key = { connectionId: owner.connectionId, planId: 'plan-1', keyId: 'old' }
      expect(await findUses(owner, key)).toMatchObject([{ person: 'Lan', toolNames: ['Claude Code'] }])
      expect(await (await owner.team.open()).audit.verify()).toEqual({ isWhole: true, count: 1 })
      await joinOther()
      const confirmedKey = { holder, planName: 'team-pro', keyName: 'key old' }
      expect(await otherDesk.team.acknowledge('ab'.repeat(32))).toEqual(confirmedKey)
      expect(otherDesk.noted('old')).toMatchObject({ ...note, holder, acknowledgedAt: expect.any(String) })
      expect(await owner.team.invite({ personName: 'New', user: 'owner6' })).toMatchObject({ person: 'New' })
    })

    it.each([
      ['an advisory lock', 'SELECT pg_advisory_lock(7420031, 1), pg_advisory_lock(3853314791062309107)', undefined],
      ['a lock of the audit log', 'BEGIN; LOCK TABLE companion_team.audit IN ACCESS EXCLUSIVE MODE', 'team.busy'],
    ])(
      'is not blocked by %s of another session',
      async (_, statement, code) => {
        await anna.audit.note({ what: 'registerChanged', planName: 'team-pro', keyName: 'locked', subject: 'x' })
        const client = new pg.Client({ ...createTeamAddress(postgres, database, 'anna'), password: toPassword('anna') })
        await client.connect()
        await client.query(statement)
        await (code === undefined ? anna.team.sync() : expectFailure(anna.team.sync(), code))
        await client.end()
        await anna.team.sync()
      },
      30_000,
    )

    it('removes control characters from names of people and spaces', async () => {
      const users = await postgres.database(['esc'])
      const computer = startComputer()
      const address = createTeamAddress(postgres, users, 'esc')
      await computer.team.create({ spaceName: 'A\u001b[31m', personName: 'B\u0007ob', address }, toSecret('esc'))
      const invitation = await computer.team.invite({ personName: 'Ev\u001b]0;x\u0007e', user: 'esc' })
      expect(JSON.stringify([await view(computer), invitation])).not.toContain(String.raw`\u00`)
    })

    it('keeps only key records when left, and a removed lead loses access', async () => {
      const previousRegister = chi.settings.read().register
      await chi.team.leave()
      expect([await chi.team.get(), [...chi.keychain.items]]).toEqual([{ state: 'none' }, []])
      expect(chi.settings.read().register).toEqual(previousRegister)
      const memberDuc = (await view(anna)).people.find((person) => person.name === 'Duc')
      // Bao removes Duc, whom Anna invited. Since PostgreSQL 16, users can only revoke grants that they gave
      // themselves.
      await bao.team.remove(memberDuc?.id ?? 0)
      await anna.team.sync()
      await expectDenied('duc', 'SELECT * FROM companion_team.space')
      expect((await view(anna)).people.map(({ name }) => name)).not.toContain('Duc')
    })
  },
)

let count = 0

/** A rotation that has just started. */
function rotation(computer: TeamComputer, keyId: string, newName: string): RotationRecord {
  count += 1
  return {
    id: `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
    planId: 'local-plan',
    planName: 'team-pro',
    origin: { connectionId: computer.connectionId, planId: 'plan-1' },
    oldKey: { id: keyId, keyId, name: `key ${keyId}`, wasActive: true },
    newKey: { name: newName },
    direction: 'forward',
    state: 'running',
    steps: [{ id: 'add', state: 'pending' }],
    undoSteps: [],
    tools: [],
    profiles: [],
    startedAt: '2026-11-23T10:00:00.000Z',
    graceMs: 0,
    isStopWanted: false,
  }
}
