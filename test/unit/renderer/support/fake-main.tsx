import type { EventName, EventPayload, MethodInput, MethodName, MethodOutput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { err, ok, type Result } from '@shared/failure'
import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { MemoryRouter, Route, Routes, useLocation } from 'react-router'
import { expect } from 'vitest'
import { startI18n } from '../../../../src/renderer/i18n'
import { createQueries, listen } from '../../../../src/renderer/ipc'
import { TooltipProvider } from '../../../../src/renderer/ui/tooltip'

type FakeHandler<N extends MethodName> = (
  input: MethodInput<N>,
) => MethodOutput<N> | Failure | Promise<MethodOutput<N> | Failure>
export type FakeMethods = { [N in MethodName]?: FakeHandler<N> }

const isFailure = (value: unknown): value is Failure =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value

/** Replaces the main process by fixed responses and records the calls. */
export function installMain(answers: FakeMethods) {
  const calls: { readonly name: string; readonly input: unknown }[] = []
  const listeners = new Set<(name: string, payload: unknown) => void>()
  const call = async (name: string, input: unknown): Promise<Result<string, Failure>> => {
    calls.push({ name, input })
    const answer = Object.entries(answers).find(([methodName]) => methodName === name)?.[1]
    if (!answer) return err({ code: 'bridge.unknownMethod', message: name })
    const value: unknown = await Reflect.apply(answer, undefined, [input])
    return isFailure(value) ? err(value) : ok(JSON.stringify(value))
  }
  const addListener = (listener: (name: string, payload: unknown) => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  Object.assign(window, { companion: { call, on: addListener } })
  const askedFor = (name: MethodName) =>
    calls.filter((recordedCall) => recordedCall.name === name).map(({ input }) => input)
  return {
    asked: calls,
    askedFor,
    /** Waits until the calls of a method had exactly these inputs. */
    waitForCalls: (name: MethodName, inputs: readonly unknown[]) =>
      waitFor(() => expect(askedFor(name)).toEqual(inputs)),
    tell: <N extends EventName>(name: N, payload: EventPayload<N>) => {
      for (const listener of listeners) listener(name, payload)
    },
    listeners,
  }
}

function LocationOutput() {
  const { pathname, search } = useLocation()
  return <output data-testid="place">{pathname + search}</output>
}

/**
 * Renders a part of the window with the app's providers, at paths that match `route` if given. An element with the test
 * id `place` shows the current path.
 */
export async function renderInApp(element: ReactNode, path = '/', route?: string) {
  await startI18n('en')
  const queries = createQueries()
  listen(queries)
  const view = render(
    <QueryClientProvider client={queries}>
      <TooltipProvider>
        <MemoryRouter initialEntries={[path]}>
          {route === undefined ? (
            element
          ) : (
            <Routes>
              <Route path={route} element={element} />
              <Route path="*" element={null} />
            </Routes>
          )}
          <LocationOutput />
        </MemoryRouter>
      </TooltipProvider>
    </QueryClientProvider>,
  )
  return { ...view, queries, place: () => view.getByTestId('place').textContent }
}

/** Creates a function that renders a page with fixed responses of main. A test can override them and the path. */
export const createPageRenderer =
  (page: ReactNode, defaultPath: string, answers: FakeMethods, route?: string) =>
  async (overrides: FakeMethods = {}, path = defaultPath) => {
    const main = installMain({ ...answers, ...overrides })
    return { main, user: userEvent.setup(), ...(await renderInApp(page, path, route)) }
  }

export const clickButton = async (name: string | RegExp): Promise<void> =>
  userEvent.click(await screen.findByRole('button', { name }))

/** Waits for the button with this name until it is enabled. */
export async function findEnabledButton(name: string | RegExp): Promise<HTMLElement> {
  const button = await screen.findByRole('button', { name })
  await waitFor(() => expect(button.hasAttribute('disabled')).toBe(false))
  return button
}

/** Clicks the button with this name once it is enabled. */
export const clickEnabledButton = async (name: string | RegExp): Promise<void> =>
  userEvent.click(await findEnabledButton(name))

/** Chooses an item of the menu with the actions for `name`. */
export async function chooseMenuItem(name: string, item: string): Promise<void> {
  await clickButton(`Actions for ${name}`)
  await userEvent.click(await screen.findByRole('menuitem', { name: item }))
}

/** Chooses an option of the field with this name. */
export async function chooseOption(field: string, option: string | RegExp): Promise<void> {
  await userEvent.click(await screen.findByRole('combobox', { name: field }))
  await userEvent.click(await screen.findByRole('option', { name: option }))
}

/** Types a text in place of the current one. */
export async function replaceText(field: HTMLElement, text: string): Promise<void> {
  await userEvent.clear(field)
  await userEvent.type(field, text)
}

/** Expects a link with this name to a page. */
export async function expectLink(name: string | RegExp, path: string): Promise<void> {
  expect((await screen.findByRole('link', { name })).getAttribute('href')).toBe(path)
}
