import type { operations as english } from '../en/operations'
import type { Translation } from '../texts'

/** Words of the operations in progress, in Vietnamese. */
export const operations: Translation<typeof english> = {
  title: 'Thao tác',
  hint: 'Những việc đang chạy ở phía sau. Ứng dụng theo dõi đến cùng, kể cả sau khi khởi động lại.',
  open: 'Xem các thao tác',
  running_other: '{{count}} thao tác đang chạy',
  failed_other: '{{count}} thao tác bị lỗi',
  done_other: '{{count}} thao tác đã xong',
  needs_other: '{{count}} thao tác cần bạn xử lý',
  progress: 'Đã xong {{ended}}/{{count}}',
  list: 'Các thao tác',
  clear: 'Xóa các thao tác đã xong khỏi danh sách',
  at: 'tại {{connection}}',
  began: 'bắt đầu {{when}}',
  ended: 'kết thúc {{when}}',
  dismiss: 'Bỏ “{{what}}” khỏi danh sách',
  stopWatching: 'Ngừng theo dõi “{{what}}”',
  look: 'Xem',
  lookNamed: 'Xem “{{what}}”',
  retry: 'Theo dõi lại',
  retryNamed: 'Theo dõi lại “{{what}}”',
  kinds: {
    'apiKey.create': {
      running: 'Đang tạo khóa API {{subject}}',
      succeeded: 'Khóa API {{subject}} đã sẵn sàng',
      failed: 'Chưa tạo được khóa API {{subject}}',
    },
    'apiKey.delete': {
      running: 'Đang xóa khóa API {{subject}}',
      succeeded: 'Đã xóa khóa API {{subject}}',
      failed: 'Chưa xóa được khóa API {{subject}}',
    },
  },
}
