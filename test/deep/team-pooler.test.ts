import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startConnectionPooler,
  startPostgres,
  type TestPooler,
  type TestPostgres,
  withoutPooler,
} from '../support/postgres'
import { createSpace, createTeamAddress, createTeamComputer, joinSpace, toSecret } from '../unit/main/team/team-desk'

const skipReasonSuffix = withoutPooler ? ` (skipped: ${withoutPooler})` : ''

describe.skipIf(withoutPooler !== undefined)(`a team space behind PgBouncer${skipReasonSuffix}`, () => {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startPostgres()
  }, 60_000)

  afterAll(() => postgres?.end())

  /** A space with two leads and a member who all use a pooler. */
  async function createTeamSpace(mode: TestPooler['mode']) {
    const users = ['anna', 'bao', 'chi']
    const database = await postgres.database(users)
    const pooler = await startConnectionPooler(postgres, { mode, users })
    const [anna, bao, chi] = [createTeamComputer(), createTeamComputer(), createTeamComputer()]
    const closeComputers = async (): Promise<void> => {
      for (const computer of [anna, bao, chi]) await computer.end()
      await pooler.end()
    }
    const poolerDatabase = { ...postgres, port: pooler.port }
    try {
      await createSpace(anna, poolerDatabase, database, 'anna')
      await joinSpace(anna, bao, { personName: 'Bao', user: 'bao' })
      await joinSpace(anna, chi, { personName: 'Chi', user: 'chi' })
    } catch (error) {
      await closeComputers()
      throw error
    }
    const isOnline = async (): Promise<boolean> => {
      const view = await bao.team.get()
      return view.state === 'joined' && view.isOnline
    }
    /** Time until the second lead sees a change of the first. */
    const expectNoteArrives = async (purpose: string, timeout: number): Promise<void> => {
      anna.note('k1', { holder: { kind: 'person', name: 'Chi' }, purpose })
      await anna.team.sync()
      await expect.poll(() => bao.noted('k1')?.purpose, { timeout, interval: 20 }).toBe(purpose)
    }
    return { anna, bao, chi, database, through: poolerDatabase, end: closeComputers, isOnline, hear: expectNoteArrives }
  }

  it('is created, joined and followed within two seconds in session mode', async () => {
    const { bao, chi, database, through, isOnline, hear, end } = await createTeamSpace('session')
    try {
      bao.team.follow()
      await expect.poll(isOnline, { timeout: 10_000 }).toBe(true)
      for (const purpose of ['one', 'two', 'three']) await hear(purpose, 2_000)
      expect(await chi.team.get()).toMatchObject({
        people: [{ name: 'Anna' }, { name: 'Bao' }, { name: 'Chi' }],
        conflicts: [],
      })
      const otherComputer = createTeamComputer()
      const joinInput = { spaceName: 'Second', personName: 'Eve' }
      for (const address of [
        createTeamAddress(through, database, 'bao'),
        createTeamAddress(through, database, 'nobody'),
        createTeamAddress(through, 'nowhere', 'anna'),
      ])
        await expect(
          otherComputer.team.create({ ...joinInput, address }, toSecret('anna')),
          address.user,
        ).rejects.toMatchObject({
          failure: { code: 'team.rejected' },
        })
      await otherComputer.end()
    } finally {
      await end()
    }
  })

  it('receives changes only by polling each minute in transaction mode', async () => {
    const { anna, bao, chi, isOnline, hear, end } = await createTeamSpace('transaction')
    try {
      bao.team.follow()
      await expect.poll(isOnline, { timeout: 10_000 }).toBe(true)
      await hear('late', 65_000)
      for (let index = 0; index < 50; index += 1)
        for (const computer of [anna, bao]) computer.note(`n${index}`, { purpose: `n${index}` })
      await Promise.all([anna.team.sync(), bao.team.sync(), chi.team.sync()])
      for (const computer of [anna, bao]) await computer.team.sync()
      for (let index = 0; index < 50; index += 1) expect(bao.noted(`n${index}`)).toMatchObject({ purpose: `n${index}` })
      expect(await anna.team.get()).toMatchObject({ conflicts: [], waiting: { notes: 0, lines: 0 } })
    } finally {
      await end()
    }
  })

  it('is refused when the pooler signs everybody in as the same user', async () => {
    const database = await postgres.database(['anna', 'bao'])
    const pooler = await startConnectionPooler(postgres, { mode: 'session', users: ['anna', 'bao'], signsInAs: 'anna' })
    const [anna, bao] = [createTeamComputer(), createTeamComputer()]
    try {
      await createSpace(anna, postgres, database, 'anna')
      const invitation = await anna.team.invite({ personName: 'Bao', user: 'bao' })
      const join = bao.team.join({ ...invitation, port: pooler.port }, toSecret('bao'))
      await expect(join).rejects.toMatchObject({ failure: { code: 'team.rejected' } })
      expect([await bao.team.get(), [...bao.keychain.items]]).toEqual([{ state: 'none' }, []])
    } finally {
      for (const computer of [anna, bao]) await computer.end()
      await pooler.end()
    }
  })
})
