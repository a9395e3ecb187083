import { Trash2 } from 'lucide-react'
import type { ResourceAction } from '../resources/resource'

/** Deletes a provider of whichever kind. */
export const deleteProvider = (operation: string): ResourceAction => ({
  id: 'delete',
  operation,
  label: (t) => t('identities:delete'),
  icon: Trash2,
  isDanger: true,
  removes: true,
  wantsName: true,
  title: (t, of) => t('identities:deleteNamed', of),
  breaks: [(t, of) => t('identities:providerBreaks', of), (t) => t('identities:noReturn')],
  confirm: (t) => t('identities:delete'),
  done: (t, of) => t('identities:deleted', of),
})
