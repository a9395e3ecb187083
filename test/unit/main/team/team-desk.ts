import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuditTrail } from '../../../../src/main/core/audit/trail'
import { Secret } from '../../../../src/main/core/secret'
import type { RegisterRecord } from '../../../../src/main/core/settings/settings'
import { createSettings, type SettingsStore } from '../../../../src/main/core/settings/settings'
import { createVault, PendingKeychainItems } from '../../../../src/main/core/vault/vault'
import type { Invitation } from '../../../../src/main/team/address'
import type { KeyUse, PendingSwitch } from '../../../../src/main/team/other-computers'
import { Team } from '../../../../src/main/team/team'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { memoryStore, type StoredSettings } from '../../../support/memory-settings'
import { type TestPostgres, toPassword } from '../../../support/postgres'

/** Address of the console that all simulated computers use, each through its own connection. */
export const consoleUrl = 'https://console.example.com'

/** A simulated computer of a team member, with its stored state. */
export interface TeamComputer {
  readonly team: Team
  readonly settings: SettingsStore
  readonly audit: AuditTrail
  readonly keychain: MemoryKeychain
  readonly folder: string
  readonly connectionId: string
  /** Keys that this computer reports as used by its tools. */
  readonly uses: KeyUse[]
  /** Rotations on other computers that this computer was asked to follow. `follow` simulates following one. */
  readonly asked: PendingSwitch[]
  follow: (pendingSwitch: PendingSwitch) => Promise<void>
  /** Number of change events. */
  readonly changes: { count: number }
  /** Edits the note about a key in the register. */
  note(keyId: string, change: Partial<RegisterRecord>): void
  noted(keyId: string): RegisterRecord | undefined
  end(): Promise<void>
}

/** Creates a computer of a team with its own clock and stored state. */
export function createTeamComputer({ clock = () => new Date() }: { readonly clock?: () => Date } = {}): TeamComputer {
  const folder = mkdtempSync(join(tmpdir(), 'companion-team-'))
  const storedSettings: StoredSettings = { settings: {} }
  const settings = createSettings(memoryStore(storedSettings))
  const keychain = new MemoryKeychain()
  const vault = createVault({ keychain, install: 'Install a keyring.', sessionAllowed: false })
  const log = { info: () => undefined, error: (_: string, error: unknown) => console.error(error) }
  const audit = new AuditTrail({ dataDir: folder, clock, by: 'commandLine', log })
  const connectionId = `connection-${Math.random()}`
  const changes = { count: 0 }
  const team = new Team({
    dataDir: folder,
    settings,
    vault,
    audit,
    clock,
    log,
    newItems: new PendingKeychainItems({ settings, vault, clock }),
    places: () => [{ connectionId, place: consoleUrl }],
    osUser: 'tester',
    onUsesChanged: () => undefined,
    keyUses: async () => [...computer.uses],
    switchKey: async (pendingSwitch) => {
      computer.asked.push(pendingSwitch)
      await computer.follow(pendingSwitch)
    },
    onChanged: () => {
      changes.count += 1
    },
  })
  const isMatch = (keyId: string) => (record: RegisterRecord) =>
    record.connectionId === connectionId && record.keyId === keyId
  const computer: TeamComputer = {
    team,
    settings,
    audit,
    keychain,
    folder,
    connectionId,
    changes,
    uses: [],
    asked: [],
    follow: async () => undefined,
    note(keyId, change) {
      settings.update(({ register }) => {
        const entryBefore = register.find(isMatch(keyId)) ?? {
          connectionId,
          planId: 'plan-1',
          keyId,
          planName: 'team-pro',
          keyName: `key ${keyId}`,
          alsoServes: [],
        }
        return { register: [...register.filter((entry) => !isMatch(keyId)(entry)), { ...entryBefore, ...change }] }
      })
    },
    noted: (keyId) => settings.read().register.find(isMatch(keyId)),
    async end() {
      await team.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return computer
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
export async function createSpace(
  computer: TeamComputer,
  postgres: TestPostgres,
  database: string,
  user: string,
): Promise<void> {
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
