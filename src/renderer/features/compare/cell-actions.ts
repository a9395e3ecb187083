import { createContext, useContext, useMemo, useRef } from 'react'
import type { CellPlace } from './cells'

/** What can be done with a cell of the grid. */
export interface CellActions {
  readonly run: (place: CellPlace) => void
  readonly stop: (runId: string) => void
  /** Shows the whole answer. */
  readonly open: (place: CellPlace) => void
  /** Chooses it for a comparison with another, or no longer. */
  readonly pick: (place: CellPlace) => void
  readonly menu: (button: HTMLElement, place: CellPlace) => void
  readonly setUp: (columnId: string) => void
  /** Asks another model from now on in this column. */
  readonly askModel: (place: CellPlace, modelCode: string) => void
}

/** What the cells of the grid around can do. */
export const CellActionsContext = createContext<CellActions | undefined>(undefined)

/** What can be done with cells; to be used inside the grid. */
export function useCellActions(): CellActions {
  const actions = useContext(CellActionsContext)
  if (!actions) throw new Error('Outside the grid of a comparison.')
  return actions
}

/** The same actions for as long as the page is there, whatever they do by now: cells are not drawn anew for their sake. */
export function useSteadyActions(actions: CellActions): CellActions {
  const latest = useRef(actions)
  latest.current = actions
  return useMemo(
    () => ({
      run: (place) => latest.current.run(place),
      stop: (runId) => latest.current.stop(runId),
      open: (place) => latest.current.open(place),
      pick: (place) => latest.current.pick(place),
      menu: (button, place) => latest.current.menu(button, place),
      setUp: (columnId) => latest.current.setUp(columnId),
      askModel: (place, modelCode) => latest.current.askModel(place, modelCode),
    }),
    [],
  )
}
