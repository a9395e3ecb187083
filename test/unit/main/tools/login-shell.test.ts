import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEnvironment, type ToolEnvironment } from '../../../../src/main/core/environment'
import { createLoginShell } from '../../../../src/main/tools/login-shell'
import { makeFolder } from '../../support/folders'

let home: string
beforeEach(() => {
  home = makeFolder()
})

const environment = (shell: string, vars: Record<string, string> = {}): ToolEnvironment =>
  createEnvironment({ home, platform: 'linux', vars: { PATH: '/usr/bin:/bin', SHELL: shell, ...vars } })

function profile(name: string, text: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true })
  writeFileSync(join(home, name), text)
}

/** Installed shells with the file that each reads as a login shell. */
const shells = [
  ['/bin/bash', '.bash_profile', 'export'],
  ['/bin/sh', '.profile', 'export'],
  ['/usr/bin/zsh', '.zprofile', 'export'],
  ['/usr/bin/fish', '.config/fish/config.fish', 'set -gx'],
].filter(([shell = '']) => existsSync(shell)) as [string, string, string][]

describe.each(shells)('%s', (shell, file, exporting) => {
  const set = (name: string, value: string): string =>
    exporting === 'export' ? `export ${name}=${value}\n` : `set -gx ${name} ${value}\n`

  it('reads the variables that its own files export, and none of this process', async () => {
    profile(file, set('RIVAL_KEY', "'of the shell'"))
    const shellVariables = await createLoginShell()(environment(shell, { ONLY_HERE: '1' }))
    expect(shellVariables).toMatchObject({ RIVAL_KEY: 'of the shell', HOME: home })
    expect(shellVariables).not.toHaveProperty('ONLY_HERE')
  })

  it('separates values with line breaks, equals signs and quotes from other variables', async () => {
    profile(file, set('ODD', `'a=b\nFAKE=1 "q" $x \`y\`'`) + set('AFTER', 'yes'))
    const shellVariables = await createLoginShell()(environment(shell))
    expect(shellVariables).toMatchObject({ ODD: 'a=b\nFAKE=1 "q" $x `y`', AFTER: 'yes' })
    expect(shellVariables).not.toHaveProperty('FAKE')
  })

  it('is not confused by output of its files', async () => {
    profile(file, `echo welcome\necho NOISE=1\n${set('RIVAL_KEY', 'x')}`)
    const shellVariables = await createLoginShell()(environment(shell))
    expect(shellVariables).toMatchObject({ RIVAL_KEY: 'x' })
    expect(Object.keys(shellVariables).filter((name) => /NOISE|welcome/.test(name))).toEqual([])
  })
})

it('a shell whose files read input is not blocked, because there is none', async () => {
  profile('.bash_profile', 'read -r answer\nexport RIVAL_KEY=x\n')
  expect(await createLoginShell()(environment('/bin/bash'))).toMatchObject({ RIVAL_KEY: 'x' })
})

it('a hanging shell is killed with its children and returns nothing', async () => {
  profile('.bash_profile', `sleep 60 & echo $! > "${home}/pid"\nexport RIVAL_KEY=x\nsleep 60\n`)
  expect(await createLoginShell(undefined, 500)(environment('/bin/bash'))).toEqual({})
  await expectProcessEnded(Number(readFileSync(join(home, 'pid'), 'utf8')))
})

it('a background process is killed and delays nothing', async () => {
  profile('.bash_profile', `sleep 60 & echo $! > "${home}/pid"\nexport RIVAL_KEY=x\n`)
  expect(await createLoginShell()(environment('/bin/bash'))).toMatchObject({ RIVAL_KEY: 'x' })
  await expectProcessEnded(Number(readFileSync(join(home, 'pid'), 'utf8')))
})

it.each([
  ['there is none', {}],
  ['it does not exist', { SHELL: '/nowhere/bash' }],
  ['it is not one that is known', { SHELL: '/bin/cat' }],
  ['its files end it', { SHELL: '/bin/bash' }],
])('returns nothing when %s', async (_case, vars) => {
  profile('.bash_profile', 'exit 3\n')
  const { SHELL: _default, ...rest } = environment('').vars
  const place = createEnvironment({ home, platform: 'linux', vars: { ...rest, ...vars } })
  expect(await createLoginShell()(place)).toEqual({})
})

it('there is no login shell on Windows', async () => {
  expect(await createLoginShell()({ ...environment('/bin/bash'), platform: 'win32' })).toEqual({})
})

it('runs once a minute or after a reset, and concurrent callers share the result', async () => {
  let nowMs = 0
  const loginShell = createLoginShell(() => nowMs)
  profile('.bash_profile', `echo asked >> "${home}/asked"\nexport RIVAL_KEY=x\n`)
  const countShellRuns = (): number => readFileSync(join(home, 'asked'), 'utf8').trim().split('\n').length
  await Promise.all([loginShell(environment('/bin/bash')), loginShell(environment('/bin/bash'))])
  nowMs = 59_999
  expect(await loginShell(environment('/bin/bash'))).toMatchObject({ RIVAL_KEY: 'x' })
  expect(countShellRuns()).toBe(1)
  nowMs = 60_000
  await loginShell(environment('/bin/bash'))
  expect(countShellRuns()).toBe(2)
  loginShell.forget?.()
  await loginShell(environment('/bin/bash'))
  expect(countShellRuns()).toBe(3)
})

async function expectProcessEnded(pid: number): Promise<void> {
  const isEnded = (): boolean => {
    try {
      // An orphan stays a zombie where no init process reaps it.
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') ?? true
    } catch {
      return true
    }
  }
  await expect.poll(isEnded).toBe(true)
}
