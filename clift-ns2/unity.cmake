# The front end takes most of the time that ns-2's small files need. So these are compiled in groups, a file that includes
# others for each group, in link order, which keeps the order of static initialisers and of packet headers.

# A file of this list begins a new group, because it clashes with an earlier file, because the group is large, or because
# the optimisation level changes.
set(UNITY_FIRSTS
    classifier/classifier-port.cc
    adc/acto-adc.cc
    tcp/tcp-reno.cc
    tcp/rq.cc
    tcp/tcp-session.cc
    sctp/sctp.cc
    tools/integrator.cc
    queue/semantic-packetqueue.cc
    queue/errmodel.cc
    queue/delaymodel.cc
    webcache/webtraf.cc
    empweb/empweb.cc
    empweb/empftp.cc
    common/Decapsulator.cc
    mac/mac-802_11Ext.cc
    mac/mac-tdma.cc
    mac/smac.cc
    mobile/nakagami.cc
    common/node.cc
    common/mobilenode.cc
    mac/mac-timers.cc
    imep/dest_queue.cc
    imep/imep_api.cc
    imep/imep_rt.cc
    tora/tora_logs.cc
    dsr/dsragent.cc
    dsr/mobicache.cc
    dsr/routecache.cc
    aodv/aodv.cc
    aodv/aodv_rqueue.cc
    aomdv/aomdv_rqueue.cc
    mdart/mdart_queue.cc
    mdart/mdart_table.cc
    rap/rap.cc
    plm/cbr-traffic-PP.cc
    routealgo/bfs.cc
    diffserv/dewp.cc
    pgm/pgm-sender.cc
    pgm/pgm-receiver.cc
    diffusion3/filters/diffusion/one_phase_pull.cc
    diffusion3/filters/diffusion/two_phase_pull.cc
    diffusion3/filter_core/filter_core.cc
    diffusion3/apps/ping/1pp_ping_sender.cc
    diffusion3/apps/ping/2pp_ping_sender.cc
    diffusion3/apps/ping/2pp_ping_receiver.cc
    diffusion3/apps/ping/push_receiver.cc)

# The groups that begin with these files carry the packets of transport protocols over a link. The other ones are compiled
# with -O1, which takes a third less time. (The last group also holds diffusion/diff_prob.cc: its stock test needs -O2.)
set(UNITY_HOT_FIRSTS
    tools/random.cc
    classifier/classifier-port.cc
    adc/acto-adc.cc
    tcp/tcp-reno.cc
    tcp/rq.cc
    tcp/tcp-session.cc
    tools/integrator.cc
    queue/semantic-packetqueue.cc
    queue/errmodel.cc
    rap/rap.cc)

# Writes the groups of `sources` into `folder`, and returns their files and those among them that are hot.
function(unity_groups sources folder result result_hot)
  set(groups "")
  set(hot "")
  set(text "")
  set(number 0)
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH name ${NS2_SOURCE} ${source})
    if(name IN_LIST UNITY_FIRSTS)
      file(CONFIGURE OUTPUT ${folder}/group-${number}.cc CONTENT "${text}" @ONLY)
      list(APPEND groups ${folder}/group-${number}.cc)
      set(text "")
      math(EXPR number "${number} + 1")
    endif()
    if(name IN_LIST UNITY_HOT_FIRSTS)
      list(APPEND hot ${folder}/group-${number}.cc)
    endif()
    # Macros of one file must not reach the next, and each has an `rcsid` of its own.
    string(MAKE_C_IDENTIFIER ${name} identifier)
    file(RELATIVE_PATH included ${folder} ${source})
    string(APPEND text "#define rcsid rcsid_${identifier}\n#include \"${included}\"\n#undef rcsid\n")
    file(STRINGS ${source} defines REGEX "^[ \t]*#[ \t]*define[ \t]+[A-Za-z_]")
    foreach(define IN LISTS defines)
      string(REGEX REPLACE "^[ \t]*#[ \t]*define[ \t]+([A-Za-z_0-9]+).*" "\\1" macro "${define}")
      string(APPEND text "#undef ${macro}\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/group-${number}.cc CONTENT "${text}" @ONLY)
  list(APPEND groups ${folder}/group-${number}.cc)
  set(${result} ${groups} PARENT_SCOPE)
  set(${result_hot} ${hot} PARENT_SCOPE)
endfunction()
