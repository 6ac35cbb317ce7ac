#include <stdio.h>
#include "ns-linux-c.h"
int main(void) {
  for (int bit = 0; bit < 32; bit++) printf("%d ", fls((int)(1u << bit)));
  return 0;
}
