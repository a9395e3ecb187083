import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listPackage } from '@electron/asar'
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { chromium, type Page } from '@playwright/test'
import { billOfMaterials, shippedPackages, signedRelease } from '../../scripts/package/shipped.mjs'
import { test as base, expect, freePort, type Machine, root } from '../support/app'
import { installTools } from '../support/tools'
import { watchMemory } from '../support/watch-memory'

const run = promisify(execFile)

const updateKeys = generateKeyPairSync('ed25519')
const updatePort = freePort()

const test = base.extend<object, { readonly installed: string }>({
  installed: [
    async ({ browserName: _ }, use) => {
      const output = mkdtempSync(join(tmpdir(), 'packaged-'))
      const args = [join(root, 'scripts/package.mjs'), '--target', 'dir', '--output', output]
      // The update source is part of the build, so the test server needs a fixed address.
      const publicKey = updateKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
      const env = { ...process.env, UPDATE_URL: `http://127.0.0.1:${await updatePort}`, UPDATE_PUBLIC_KEY: publicKey }
      await run(process.execPath, args, { env })
      await use(join(output, 'linux-unpacked'))
      rmSync(output, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

// Run all tests in one worker, which packages the app once.
test.describe.configure({ mode: 'default' })
test.skip(process.platform !== 'linux', 'The form in a folder is made and started on Linux.')

interface StartedApp {
  readonly page: Page
  readonly child: ChildProcess
}

/** Starts the installed app by its desktop entry and connects to Chromium's debugging port. */
async function startInstalled(
  installed: string,
  { env, dataDir }: Pick<Machine, 'env' | 'dataDir'>,
): Promise<StartedApp> {
  const chromiumSwitches = ['--remote-debugging-port=0', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  const args = [...chromiumSwitches, '--disable-gpu', '--data-dir', dataDir]
  const child = spawn(join(installed, 'platform-companion'), args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let outputText = ''
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (bytes) => {
      outputText += String(bytes)
      const [, debuggerUrl] = /DevTools listening on (ws:\S+)/.exec(outputText) ?? []
      if (debuggerUrl !== undefined) resolve(debuggerUrl)
    })
    child.once('exit', (code) => reject(new Error(`The installed app ended with ${code}: ${outputText}`)))
  })
  const browser = await chromium.connectOverCDP(address)
  const [context] = browser.contexts()
  const page = context?.pages()[0] ?? (await context?.waitForEvent('page'))
  if (page === undefined) throw new Error('The installed app has no window.')
  return { page, child }
}

test('the installed app configures a tool, whose helper prints the key after the app is closed', async ({
  installed,
  machine,
}) => {
  installTools(machine)
  const { page, child } = await startInstalled(installed, machine)
  await page.getByRole('button', { name: /Explore with the sandbox/ }).click()
  await page.getByRole('link', { name: 'Configure Claude Code', exact: true }).click()
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
  await page.getByRole('button', { name: 'Test', exact: true }).first().click()
  await expect(page.getByText('Test passed')).toBeVisible()
  child.kill('SIGTERM')
  await once(child, 'exit')

  const { apiKeyHelper } = JSON.parse(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8'))
  const envWithoutDisplay = { ...machine.env, DISPLAY: '' }
  const printedKey = await run('/bin/sh', ['-c', apiKeyHelper], { env: envWithoutDisplay })
  expect(printedKey).toEqual({ stdout: expect.stringMatching(/^sk-sandbox-\S+\n$/), stderr: '' })

  const companionPath = join(installed, 'companion')
  const data = ['--data-dir', machine.dataDir]
  const secondPrint = await run(companionPath, [...data, 'key', 'print', '--plan', 'sandbox-pro'], {
    env: envWithoutDisplay,
  })
  expect(secondPrint).toEqual(printedKey)
  const client = new Client({ name: 'test', version: '0' })
  const args = [...data, 'mcp', '--tool', 'claude-code']
  await client.connect(new StdioClientTransport({ command: companionPath, args, env: envWithoutDisplay }))
  const { structuredContent } = await client.callTool({ name: 'plans', arguments: {} })
  expect(structuredContent).toMatchObject({ plans: [{ name: 'sandbox-pro' }] })
  await client.close()
  const wrongCommand = await run(companionPath, [...data, 'plan', 'nonsense'], { env: envWithoutDisplay }).catch(
    (error) => error,
  )
  expect(wrongCommand).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('nonsense') })
})

test('the command of the installed app runs the sandbox until it is stopped', async ({ installed, machine }) => {
  const args = ['sandbox', '--gateway-port', '0', '--platform-port', '0', '--json']
  const child = spawn(join(installed, 'companion'), args, { env: { ...machine.env, DISPLAY: '' } })
  const [line] = await once(child.stdout, 'data')
  const { gatewayUrl } = JSON.parse(String(line))
  expect((await fetch(`${gatewayUrl}/v1/chat/completions`, { method: 'POST' })).status).toBe(401)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the package contains only files that it needs, and its program only runs the app', async ({ installed }) => {
  const asarPath = join(installed, 'resources/app.asar')
  const files = listPackage(asarPath, { isPack: false }).map((path) => path.replaceAll('\\', '/'))
  expect(files).toEqual(expect.arrayContaining(['/package.json', '/out/main/index.cjs', '/out/main/cli.cjs']))
  expect(files.filter((path) => /\.map$|\.tsx?$|\/test\/|\/bench|musl|win32|darwin|\.build-stamp/.test(path))).toEqual(
    [],
  )
  expect(existsSync(join(installed, 'resources/default_app.asar'))).toBe(false)
  const packages = files.flatMap((path) => /^\/node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? [])
  const { dependencies } = createRequire(import.meta.url)('../../package.json')
  expect(packages).toEqual(expect.arrayContaining(Object.keys(dependencies)))

  // Format the fuses like `npx @electron/fuses read`.
  const fuseEntries = Object.entries(await getCurrentFuseWire(join(installed, 'platform-companion')))
  const texts: Record<string, string> = { 0: 'off', 1: 'on' }
  const fuseStates = fuseEntries.flatMap(([id, state]) => {
    const name = FuseV1Options[Number(id)]
    return name === undefined ? [] : [[name, texts[String.fromCharCode(Number(state))]]]
  })
  const documentedFuses = readFileSync(join(root, 'docs/security.md'), 'utf8').matchAll(/^\| (\w+) \| (on|off) \|/gm)
  expect([...documentedFuses].map(([, name, value]) => [name, value])).toEqual(fuseStates)
  expect(fuseStates.length).toBeGreaterThan(7)
})

test('every shipped package is listed with its license, also in the software bill of materials', async ({
  installed,
}) => {
  const packageList = shippedPackages()
  const freeLicensePattern = /^(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|OFL-1\.1)$/
  expect(
    packageList.filter(
      ({ license }) => !license.split(' AND ').every((licenseId) => freeLicensePattern.test(licenseId)),
    ),
  ).toEqual([])
  const notices = readFileSync(join(installed, 'LICENSES.packages.txt'), 'utf8')
  expect(packageList.filter(({ name, version }) => !notices.includes(`${name} ${version} (`))).toEqual([])
  const { components } = JSON.parse(await billOfMaterials(packageList, '1.2.3'))
  expect(components).toHaveLength(packageList.length + 1)
  const names = components.map(({ name }: { name: string }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['electron', 'react', 'zod', 'keytar', 'libsql', '@fontsource-variable/inter']),
  )
  expect(names).not.toContain('vitest')
})

test('an update is offered when signed, downloaded when its checksum matches, and installed on request', async ({
  installed,
  machine,
}) => {
  // An AppImage is one file whose path is in an environment variable. The new version only has to exist.
  const appImage = join(machine.home, 'platform-companion.AppImage')
  writeFileSync(appImage, 'the old version')
  const startedMarker = join(machine.home, 'new-version-started')
  const nextAppImage = join(machine.home, 'next.AppImage')
  writeFileSync(nextAppImage, `#!/bin/sh\necho started > '${startedMarker}'\n`)
  const descriptions = ['stable-linux-x64.json']
  const releaseInfo = {
    descriptions,
    version: '9.1.0',
    releasedAt: '2026-11-20T00:00:00Z',
    notes: { en: 'Everything is faster.' },
  }
  const pem = updateKeys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const signedUpdate = await signedRelease({ ...releaseInfo, file: nextAppImage }, pem)
  const foreignPem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const forgedRelease = await signedRelease({ ...releaseInfo, version: '9.9.9', file: nextAppImage }, foreignPem)
  const otherSystem = await signedRelease(
    { ...releaseInfo, descriptions: ['stable-darwin-x64.json'], file: nextAppImage },
    pem,
  )
  const oldRelease = await signedRelease(
    { ...releaseInfo, releasedAt: '2026-01-01T00:00:00Z', file: nextAppImage },
    pem,
  )
  const name = '/stable-linux-x64.json'
  const files = new Map<string, string | Buffer>()
  const cutOffFaultName = 'a connection that ends in the middle'
  const serve = ({ description, signature }: typeof signedUpdate): void => {
    files.set(name, description).set(`${name}.sig`, signature)
  }
  const server = createServer(({ url = '' }, response) => {
    const body = files.get(url)
    if (body === cutOffFaultName)
      response.writeHead(200, { 'content-length': 9 }).write('half', () => response.destroy())
    else response.writeHead(body === undefined ? 404 : 200).end(body)
  }).listen(await updatePort, '127.0.0.1')
  await once(server, 'listening')

  const env = { ...machine.env, APPIMAGE: appImage }
  const { page, child } = await startInstalled(installed, { ...machine, env })
  await page.getByRole('button', { name: /Skip/ }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  const check = page.getByRole('button', { name: 'Check for updates' })
  await check.click()
  await expect(page.getByText('Update server error')).toBeVisible()
  serve(forgedRelease)
  await check.click()
  await expect(page.getByText('Update not trusted')).toBeVisible()
  serve(otherSystem)
  await check.click()
  await expect(page.getByText('Update not trusted')).toBeVisible()

  serve(signedUpdate)
  files.set('/next.AppImage', cutOffFaultName)
  await check.click()
  await expect(page.getByText('Version 9.1.0 is available')).toBeVisible()
  await page.getByText('What’s new in 9.1.0').click()
  await expect(page.getByText('Everything is faster.')).toBeVisible()
  await page.getByRole('button', { name: 'Download' }).click()
  await expect(page.getByText('Connection lost')).toBeVisible()
  files.set('/next.AppImage', 'not what was described')
  await check.click()
  await page.getByRole('button', { name: 'Download' }).click()
  await expect(page.getByText('Download damaged')).toBeVisible()
  expect(readFileSync(appImage, 'utf8')).toBe('the old version')
  serve(oldRelease)
  await check.click()
  await expect(page.getByText('Older version offered')).toBeVisible()

  serve(signedUpdate)
  files.set('/next.AppImage', readFileSync(nextAppImage))
  await check.click()
  await page.getByRole('button', { name: 'Download' }).click()
  const restart = page.getByRole('button', { name: 'Restart to update' })
  await expect(restart).toBeVisible()
  const downloadedFile = readdirSync(machine.home, { recursive: true, encoding: 'utf8' }).find((path) =>
    path.endsWith('/next.AppImage'),
  )
  writeFileSync(join(machine.home, downloadedFile ?? 'missing'), '#!/bin/sh\necho tampered\n')
  await restart.click()
  await expect(page.getByText('Download damaged')).toBeVisible()
  expect(readFileSync(appImage, 'utf8')).toBe('the old version')

  await check.click()
  await page.getByRole('button', { name: 'Download' }).click()
  await restart.click()
  await once(child, 'exit')
  expect(readFileSync(appImage, 'utf8')).toBe(readFileSync(nextAppImage, 'utf8'))
  await expect.poll(() => existsSync(startedMarker)).toBe(true)
  server.close()
})

/** Size of all files in a folder. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )

test('an update of endless length fills neither memory nor disk, and its download can be canceled', {
  tag: '@deep',
}, async ({ installed, machine }) => {
  test.setTimeout(300_000)
  const appImage = join(machine.home, 'platform-companion.AppImage')
  const [next, big] = [join(machine.home, 'next.AppImage'), join(machine.home, 'big.AppImage')]
  for (const path of [appImage, next, big]) writeFileSync(path, '6bytes')
  truncateSync(big, 5e8)
  const pem = updateKeys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const descriptions = ['stable-linux-x64.json']
  const release = { descriptions, version: '9.1.0', releasedAt: '2026-11-20T00:00:00Z', notes: { en: 'Faster.' } }
  const small = await signedRelease({ ...release, file: next }, pem)
  const huge = await signedRelease({ ...release, file: big }, pem)
  let served = small
  const sent = { bytes: 0, open: 0 }
  const block = Buffer.alloc(65_536, 1)
  const server = createServer(({ url = '' }, response) => {
    if (url.endsWith('.sig')) return response.end(served.signature)
    if (url.endsWith('.json')) return response.end(served.description)
    sent.open += 1
    response.on('close', () => {
      sent.open -= 1
    })
    const send = (): void => {
      if (response.destroyed) return
      sent.bytes += block.length
      // About 50 MB/s, so that a huge file takes 10 s.
      if (response.write(block)) setTimeout(send, served === small ? 0 : 1)
      else response.once('drain', send)
    }
    send()
  }).listen(await updatePort, '127.0.0.1')
  await once(server, 'listening')
  const { page, child } = await startInstalled(installed, { ...machine, env: { ...machine.env, APPIMAGE: appImage } })
  await page.getByRole('button', { name: /Skip/ }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Check for updates' }).click()
  await expect(page.getByText('Version 9.1.0 is available')).toBeVisible()
  const memory = watchMemory(child.pid)
  const before = bytesIn(machine.home)
  let startedMs = Date.now()
  await page.getByRole('button', { name: 'Download' }).click()
  await expect(page.getByText('Download damaged')).toBeVisible()
  const refusedMs = Date.now() - startedMs
  await expect.poll(() => sent.open).toBe(0)
  const written = bytesIn(machine.home) - before
  console.log({ refusedMs, sentBytes: sent.bytes, written, growthMb: Math.round(memory.growth()) })
  expect(refusedMs).toBeLessThan(5000)
  expect(sent.bytes).toBeLessThan(50e6)
  expect(written).toBeLessThan(10e6)

  served = huge
  sent.bytes = 0
  await page.getByRole('button', { name: 'Check for updates' }).click()
  await page.getByRole('button', { name: 'Download' }).click()
  await expect.poll(() => sent.bytes).toBeGreaterThan(20e6)
  startedMs = Date.now()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Version 9.1.0 is available')).toBeVisible()
  await expect.poll(() => sent.open).toBe(0)
  const canceledMs = Date.now() - startedMs
  await expect.poll(() => bytesIn(machine.home) - before).toBeLessThan(10e6)
  memory.stop()
  console.log({ canceledMs, sentBytes: sent.bytes, growthMb: Math.round(memory.growth()) })
  expect(canceledMs).toBeLessThan(5000)
  expect(memory.growth()).toBeLessThan(300)
  expect(readFileSync(appImage, 'utf8')).toBe('6bytes')
  child.kill('SIGTERM')
  await once(child, 'exit')
  server.closeAllConnections()
  server.close()
})
