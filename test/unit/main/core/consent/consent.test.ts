import { describe, expect, it, vi } from 'vitest'
import {
  AllowedCommands,
  type ConsentQuestion,
  commandLine,
  findNewDestinations,
  newGateway,
  queueConfirmations,
} from '../../../../../src/main/core/consent/consent'
import { questionText } from '../../../../../src/main/core/consent/question-text'
import { memorySettings } from '../../../../support/memory-settings'
import { expectFailure } from '../../../support/failures'

const folder = (name: string): ConsentQuestion => ({ kind: 'useFolder', folder: name })

/** Simulates a user who answers confirmation dialogs one by one, when the test says so. */
function person() {
  let nowMs = 0
  const openQuestions: { readonly question: ConsentQuestion; readonly answer: (isAgreed: boolean) => void }[] = []
  const confirm = queueConfirmations(
    (question) => new Promise((answer) => void openQuestions.push({ question, answer })),
    () => new Date(nowMs),
  )
  /** Waits until the confirmation dialog is shown, and answers it. */
  const answer = async (isAgreed: boolean): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    openQuestions.at(-1)?.answer(isAgreed)
  }
  const later = (ms: number): void => {
    nowMs += ms
  }
  return { confirm, open: openQuestions, answer, later }
}

describe('queueConfirmations', () => {
  it('shows one question at a time, and equal ones once', async () => {
    const { confirm, open, answer } = person()
    const answers = Promise.all([confirm(folder('a')), confirm(folder('a')), confirm(folder('b'))])
    await answer(true)
    expect(open.map(({ question }) => question)).toEqual([folder('a')])
    await answer(false)
    expect(await answers).toEqual([true, true, false])
    expect(open.map(({ question }) => question)).toEqual([folder('a'), folder('b')])
  })

  it.each([
    ['after some time', 10_000],
    ['when the clock was set back', -86_400_000],
  ])('does not repeat a declined question immediately, but %s', async (_, passedMs) => {
    const { confirm, open, answer, later } = person()
    const firstAnswer = confirm(folder('a'))
    await answer(false)
    expect([await firstAnswer, await confirm(folder('a')), await confirm(folder('a'))]).toEqual([false, false, false])
    expect(open).toHaveLength(1)
    later(passedMs)
    const secondAnswer = confirm(folder('a'))
    await answer(true)
    expect([await secondAnswer, open.length]).toEqual([true, 2])
  })

  it('continues after a failed dialog', async () => {
    const ask = vi.fn(async () => true).mockRejectedValueOnce(new Error('no display'))
    const confirm = queueConfirmations(ask, () => new Date(0))
    await expect(confirm(folder('a'))).rejects.toThrow('no display')
    expect(await confirm(folder('a'))).toBe(true)
  })
})

describe('the destination of a secret', () => {
  const addressesBefore = {
    consoleUrl: 'https://console.example.com/api',
    memoryApiUrl: 'https://api.example.com/memory',
  }

  it.each([
    ['the same addresses', addressesBefore],
    ['another path of the same host', { ...addressesBefore, consoleUrl: 'https://console.example.com/v2' }],
    ['an address that is taken out', { consoleUrl: addressesBefore.consoleUrl }],
    ['a host that gets it already', { ...addressesBefore, runtimeApiUrl: 'https://api.example.com/runtime' }],
    ['the gateway, where the plan alone sends its key', { ...addressesBefore, tokenPlanUrl: 'https://gw.example.net' }],
    ['the host of the registry, to which nothing is sent', { ...addressesBefore, registryHost: 'cr.example.net' }],
  ])('is unchanged with %s', (_what, addressesAfter) => {
    expect(findNewDestinations(addressesBefore, addressesAfter)).toEqual([])
  })

  it.each([
    ['another host', 'https://console.example.net/api'],
    ['another port', 'https://console.example.com:8443/api'],
    ['another scheme', 'http://console.example.com/api'],
    ['a host that only begins alike', 'https://console.example.com.example.net/api'],
  ])('changes with %s', (_what, newConsoleUrl) => {
    const change = { field: 'consoleUrl', from: addressesBefore.consoleUrl, to: newConsoleUrl }
    const addressesAfter = { ...addressesBefore, consoleUrl: newConsoleUrl }
    expect(findNewDestinations(addressesBefore, addressesAfter)).toEqual([change])
    expect(findNewDestinations({}, { consoleUrl: newConsoleUrl })).toEqual([{ ...change, from: undefined }])
  })

  it('changes for a plan with a key, or with an account that may provide one, when its gateway changes', () => {
    const plan = { gatewayUrl: 'https://gw.example.com', origin: undefined, keys: [] }
    const newGatewayUrl = 'https://gw.example.net'
    expect(newGateway(plan, newGatewayUrl)).toEqual([])
    expect(newGateway({ ...plan, keys: ['k'] }, plan.gatewayUrl)).toEqual([])
    expect(newGateway({ ...plan, keys: ['k'] }, newGatewayUrl)).toHaveLength(1)
    expect(newGateway({ ...plan, origin: { connectionId: 'c', planId: 'p' } }, newGatewayUrl)).toHaveLength(1)
  })
})

describe('AllowedCommands', () => {
  const commandUse = { connectionId: 'c1', connection: 'office', command: ['/bin/sh', '-c', 'print'], hosts: [] }

  function createConnection(isAgreed: () => boolean) {
    const settings = memorySettings()
    const confirm = vi.fn(async () => isAgreed())
    return { confirm, open: () => new AllowedCommands({ settings, confirm }) }
  }

  it('asks once for each exact command line of a connection, also after a restart', async () => {
    const { confirm, open } = createConnection(() => true)
    await open().require(commandUse)
    await open().require(commandUse)
    expect(confirm).toHaveBeenCalledTimes(1)
    await open().require({ ...commandUse, command: ['/bin/sh', '-c', 'print '] })
    await open().require({ ...commandUse, command: ['/bin/sh', '-c print'] })
    await open().require({ ...commandUse, connectionId: 'c2' })
    expect(confirm).toHaveBeenCalledTimes(4)
  })

  it('remembers a refusal until the user starts an action that needs the command', async () => {
    let isAgreed = false
    const { confirm, open } = createConnection(() => isAgreed)
    const commands = open()
    for (let index = 0; index < 3; index += 1)
      await expectFailure(commands.require(commandUse), 'auth.commandNotAllowed')
    expect(confirm).toHaveBeenCalledTimes(1)
    isAgreed = true
    commands.askAgain(commandUse)
    await commands.require(commandUse)
    expect(confirm).toHaveBeenCalledTimes(2)
  })

  it('refuses a command that a dialog cannot show completely, without asking', async () => {
    const { confirm, open } = createConnection(() => true)
    const longCommandUse = { ...commandUse, command: ['/bin/sh', '-c', `true ${' '.repeat(3000)}; steal`] }
    await expectFailure(open().require(longCommandUse), { code: 'input.invalid', field: 'command' })
    expect(confirm).not.toHaveBeenCalled()
  })
})

describe('a confirmation dialog', () => {
  const consentQuestions: readonly ConsentQuestion[] = [
    {
      kind: 'sendElsewhere',
      holder: 'plan',
      name: 'team',
      destinations: [{ field: 'tokenPlanUrl', from: 'https://a.example', to: 'https://b.example' }],
    },
    {
      kind: 'sendElsewhere',
      holder: 'connection',
      name: 'office',
      destinations: [{ field: 'consoleUrl', to: 'https://b.example' }],
    },
    { kind: 'runCommand', connection: 'office', command: ['/bin/sh', '-c', 'a b'], hosts: ['https://b.example'] },
    { kind: 'reuseCopiedSecret', masked: 'sk-...abcd' },
    { kind: 'trustCertificates', connection: 'office', path: '/tmp/ca.pem' },
    { kind: 'useFolder', folder: '/home/me/project' },
    { kind: 'recordMcp' },
    { kind: 'openLink', url: 'https://b.example/?q=1' },
    { kind: 'openLink', url: 'mailto:me@b.example' },
    { kind: 'openTerminal', program: '/usr/bin/xterm', folder: '/home/an/work' },
  ]

  const addresses = ['https://a.example', 'https://b.example', 'me@b.example']
  const subjects = [...addresses, '/tmp/ca.pem', '/home/me/project', 'abcd']

  it.each(consentQuestions)('describes its subject in both languages: $kind', (question) => {
    const [english, vietnamese] = [questionText(question, 'en'), questionText(question, 'vi')]
    expect(english.agree).not.toBe(vietnamese.agree)
    expect(english.message).not.toBe(vietnamese.message)
    for (const { message, detail, cancel } of [english, vietnamese]) {
      for (const subject of subjects)
        expect((message + detail).includes(subject)).toBe(JSON.stringify(question).includes(subject))
      expect([message, detail, cancel].every((text) => text !== '' && !text.includes(';'))).toBe(true)
    }
  })

  it('escapes characters that could hide or reverse a part of a name, path or command', () => {
    const name = 'office\u202e\n\u0000"x'
    const { message } = questionText({ kind: 'trustCertificates', connection: name, path: '/ca' }, 'en')
    expect(message).toContain('“office⟨U+202E⟩⟨U+000A⟩⟨U+0000⟩"x”')
    const line = commandLine(['/bin/sh', '-c', 'a b', '', 'x\u202ey', '\n'])
    expect(line).toBe(String.raw`/bin/sh -c "a b" "" "x⟨U+202E⟩y" "\n"`)
  })
})
