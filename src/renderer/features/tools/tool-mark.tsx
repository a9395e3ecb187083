import type { ToolView } from '@shared/contract'
import { RowMark } from '../../ui/rows'

/** The initials of a tool in a frame: "CC", "OC". */
export function ToolMark({ tool }: { tool: Pick<ToolView, 'name'> }) {
  const capitals = tool.name.match(/\p{Lu}/gu) ?? []
  const initials = capitals.length > 1 ? capitals.slice(0, 2).join('') : tool.name.slice(0, 2)
  return <RowMark>{initials}</RowMark>
}
