import type { Route } from '@shared/contract'
import { useNavigate } from 'react-router'
import { setupKey, type ToolHere } from './sites'
import { toolPath } from './tool-status'
import { useToolsStore } from './tools-store'

/** Opens a tool's set-up with the way of its requests chosen; nothing is written before a person applies it. */
export function useConfigureThrough(): (tool: Pick<ToolHere, 'id' | 'site'>, route: Route) => void {
  const navigate = useNavigate()
  const pick = useToolsStore((store) => store.pick)
  return ({ id, site }, route) => {
    pick(setupKey(id, site), { route })
    void navigate(toolPath(id, 'configure', site))
  }
}
