import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuditTrail } from '../../../../src/main/core/audit/trail'
import { Secret } from '../../../../src/main/core/secret'
import type { RegisterRecord } from '../../../../src/main/core/settings/settings'
import { createSettings } from '../../../../src/main/core/settings/settings'
import { createVault } from '../../../../src/main/core/vault/vault'
import type { Invitation } from '../../../../src/main/team/address'
import type { KeyUse, PendingSwitch } from '../../../../src/main/team/other-computers'
import { Team } from '../../../../src/main/team/team'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { memoryStore, type StoredSettings } from '../../../support/memory-settings'
import { type TestPostgres, toPassword } from '../../../support/postgres'

/** A simulated computer of a team member, with its stored state. */
export type TeamComputer = ReturnType<typeof createTeamComputer>

/** Creates a computer of a team with its own stored state. */
export function createTeamComputer() {
  const clock = () => new Date()
  const folder = mkdtempSync(join(tmpdir(), 'companion-team-'))
  const storedSettings: StoredSettings = { settings: {} }
  const settings = createSettings(memoryStore(storedSettings))
  const keychain = new MemoryKeychain()
  const vault = createVault({ keychain, install: 'Install a keyring.', sessionAllowed: false })
  const log = { info: () => undefined, error: (_: string, error: unknown) => console.error(error) }
  const audit = new AuditTrail({ dataDir: folder, clock, by: 'commandLine', log })
  const connectionId = `connection-${Math.random()}`
  const computer = {
    /** Keys that this computer reports as used by its tools. */
    uses: [] as KeyUse[],
    /** Rotations on other computers that this computer was asked to follow. `follow` simulates following one. */
    asked: [] as PendingSwitch[],
    follow: async (_: PendingSwitch): Promise<void> => undefined,
  }
  const team = new Team({
    dataDir: folder,
    settings,
    vault,
    audit,
    clock,
    log,
    // All simulated computers use the same console, each through its own connection.
    places: () => [{ connectionId, place: 'https://console.example.com' }],
    osUser: 'tester',
    onUsesChanged: () => undefined,
    keyUses: async () => [...computer.uses],
    switchKey: async (pendingSwitch) => {
      computer.asked.push(pendingSwitch)
      await computer.follow(pendingSwitch)
    },
    onChanged: () => undefined,
  })
  const isMatch = (keyId: string) => (record: RegisterRecord) =>
    record.connectionId === connectionId && record.keyId === keyId
  return Object.assign(computer, {
    team,
    settings,
    audit,
    keychain,
    connectionId,
    /** Edits the note about a key in the register. */
    note(keyId: string, change: Partial<RegisterRecord>) {
      settings.update(({ register }) => {
        const key = { connectionId, planId: 'plan-1', keyId, planName: 'team-pro', keyName: `key ${keyId}` }
        const entryBefore = register.find(isMatch(keyId)) ?? { ...key, alsoServes: [] }
        return { register: [...register.filter((entry) => !isMatch(keyId)(entry)), { ...entryBefore, ...change }] }
      })
    },
    noted: (keyId: string) => settings.read().register.find(isMatch(keyId)),
    async end() {
      await team.end()
      rmSync(folder, { recursive: true, force: true })
    },
  })
}

/** The address of a test database for one of its users. */
export const createTeamAddress = (postgres: TestPostgres, database: string, user: string) => ({
  host: '127.0.0.1',
  port: postgres.port,
  database,
  user,
})

export const toSecret = (user: string): Secret => new Secret(toPassword(user), 'text')

/** Creates a space as the first user. */
export async function createSpace(computer: TeamComputer, postgres: TestPostgres, database: string, user: string) {
  const address = createTeamAddress(postgres, database, user)
  await computer.team.create({ spaceName: 'Atelier', personName: 'Anna', address }, toSecret(user))
}

/** Invites a user to the space and lets a simulated computer join it. */
export async function joinSpace(
  lead: TeamComputer,
  computer: TeamComputer,
  person: { readonly personName: string; readonly user: string },
): Promise<Invitation> {
  const invitation = await lead.team.invite(person)
  await computer.team.join(invitation, toSecret(person.user))
  return invitation
}
