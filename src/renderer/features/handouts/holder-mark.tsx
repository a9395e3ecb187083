import type { Holder } from '@shared/contract'
import { Bot, UserRound } from 'lucide-react'
import { RowMark } from '../../ui/rows'

/** A person's or a tool's sign at the head of a row. */
export function HolderMark({ holder }: { readonly holder: Holder }) {
  const Icon = holder.kind === 'tool' ? Bot : UserRound
  return (
    <RowMark>
      <Icon size={14} strokeWidth={1.8} />
    </RowMark>
  )
}
