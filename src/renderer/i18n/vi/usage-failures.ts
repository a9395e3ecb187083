import type { FailureCodeTexts } from '../en/failure-codes'

/** Words for the failures of the relay and of the usage ledger, in Vietnamese. */
export const usageFailures: Pick<FailureCodeTexts, 'relay' | 'usage'> = {
  relay: {
    portInUse: {
      title: 'Chương trình khác đang dùng cổng của relay',
      explanation: 'Relay không lấy được cổng của mình, vì có chương trình khác đang nghe ở đó.',
      remedy: 'Hãy khởi động ở cổng khác. Khi đó các công cụ đi qua relay cần được trỏ lại.',
    },
    failed: {
      title: 'Relay không khởi động được',
      explanation: 'Tiến trình của relay đã dừng trước khi sẵn sàng, hoặc tự dừng giữa chừng.',
      remedy: 'Hãy khởi động lại.',
    },
    off: {
      title: 'Relay đang tắt',
      explanation: 'Các công cụ đi qua relay không nhận được trả lời cho đến khi relay chạy.',
      remedy: 'Hãy bật relay, hoặc trỏ các công cụ đó thẳng về gateway.',
    },
  },
  usage: {
    unavailable: {
      title: 'Không đọc được số liệu sử dụng của máy này',
      explanation: 'Tệp chứa số liệu không mở được. Nội dung của tệp không bị thay đổi hay mất đi.',
      remedy: 'Hãy thử lại. Nếu vẫn lỗi, hãy kiểm tra ổ đĩa còn chỗ trống và không có chương trình nào đang giữ tệp.',
    },
  },
}
