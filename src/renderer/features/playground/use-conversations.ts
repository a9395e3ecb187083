import type { ConversationSummary, MethodOutput } from '@shared/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type CallError, call } from '../../ipc'

type PageOf = MethodOutput<'playground.conversations'>

/** Conversations as far as the list was scrolled: pinned first, then the newest; with a search, those it is found in. */
export function useConversations(search: string) {
  const wanted = search.trim() === '' ? {} : { search: search.trim() }
  return useInfiniteQuery<PageOf, CallError, readonly ConversationSummary[], readonly unknown[], string | undefined>({
    queryKey: ['playground.conversations', wanted, 'pages'],
    queryFn: ({ pageParam }) =>
      call('playground.conversations', { ...wanted, ...(pageParam === undefined ? {} : { after: pageParam }) }),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })
}
