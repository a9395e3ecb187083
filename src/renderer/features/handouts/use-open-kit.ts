import type { KitContent, MethodOutput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useRef, useState } from 'react'
import { CallError, call, useAction } from '../../ipc'
import { useHandoutsStore } from './handouts-store'

/** A kit's file that was chosen, and what opens it. */
export interface ChosenKit {
  readonly kitId: string
  readonly path: string
  readonly needs: 'passphrase' | 'nothing' | 'anotherKey'
}

function chosenOf({ kitId, path, needs }: MethodOutput<'handouts.chooseKit'>): ChosenKit | undefined {
  return kitId === undefined || path === undefined || needs === undefined ? undefined : { kitId, path, needs }
}

/**
 * Opens a chosen kit. The passphrase goes straight from its field to main: a mutation would keep it as its variables,
 * and state would keep it as long as the page is there.
 */
function useOpening(kit: ChosenKit | undefined, onOpened: (content: KitContent) => void) {
  const field = useRef<HTMLInputElement>(null)
  const [opening, setOpening] = useState<{ readonly isPending: boolean; readonly failure?: Failure }>({
    isPending: false,
  })
  const open = async (withField: boolean): Promise<void> => {
    if (!kit || opening.isPending) return
    const passphrase = withField ? field.current?.value : undefined
    setOpening({ isPending: true })
    try {
      const content = await call('handouts.openKit', {
        kitId: kit.kitId,
        ...(passphrase === undefined ? {} : { passphrase }),
      })
      if (field.current) field.current.value = ''
      setOpening({ isPending: false })
      onOpened(content)
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      setOpening({ isPending: false, failure: error.failure })
      field.current?.select()
    }
  }
  return { field, opening, open, forget: () => setOpening({ isPending: false }) }
}

/** From the choice of a file to a plan of this computer, with nothing kept before it was seen. */
export function useOpenKit() {
  const [kit, setKit] = useState<ChosenKit>()
  const [content, setContent] = useState<KitContent>()
  const { accepted, accept } = useHandoutsStore()
  const { field, opening, open, forget } = useOpening(kit, setContent)
  const clear = (next?: ChosenKit): void => {
    setKit(next)
    setContent(undefined)
    forget()
    if (field.current) field.current.value = ''
  }
  const choosing = useAction('handouts.chooseKit', {
    onSuccess: (answer) => {
      const next = chosenOf(answer)
      if (next) clear(next)
    },
  })
  const accepting = useAction('handouts.accept', {
    invalidates: ['plans', 'register', 'audit'],
    onSuccess: ({ planId, acknowledgement }) => {
      if (content) accept({ planId, acknowledgement, content })
      clear()
    },
  })
  return {
    ...{ kit, content, accepted, field, opening, choosing, accepting },
    choose: () => choosing.mutate({}),
    open: (withField: boolean) => void open(withField),
    accept: () => kit && accepting.mutate({ kitId: kit.kitId }),
    another: () => accept(undefined),
    cancel: () => clear(),
  }
}

export type OpenKit = ReturnType<typeof useOpenKit>
